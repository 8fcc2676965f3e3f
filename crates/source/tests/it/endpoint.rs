//! Base URIs and paths: their join, and the error for each invalid one.

use retrylab_source::Endpoint;

#[test]
fn base_and_path_are_joined_by_exactly_one_slash() {
    for (base, path, joined) in [
        ("http://example.org", "/all", "http://example.org/all"),
        ("http://example.org/", "/all", "http://example.org/all"),
        ("http://example.org", "all", "http://example.org/all"),
        ("http://example.org/", "all", "http://example.org/all"),
        ("http://example.org//", "//all", "http://example.org/all"),
        (
            "http://example.org:8000/endpoints/3",
            "/sdk/latest-all",
            "http://example.org:8000/endpoints/3/sdk/latest-all",
        ),
        (
            "http://example.org:8000/endpoints/3/",
            "/sdk/latest-all",
            "http://example.org:8000/endpoints/3/sdk/latest-all",
        ),
        ("https://example.org", "/all", "https://example.org/all"),
        ("HTTP://example.org", "/all", "http://example.org/all"),
        ("http://127.0.0.1:8111", "/all", "http://127.0.0.1:8111/all"),
        ("http://[::1]:8111", "/all", "http://[::1]:8111/all"),
        ("http://[::1]", "/all", "http://[::1]/all"),
        ("http://example.org:", "/all", "http://example.org/all"),
        ("http://user:word@example.org", "/all", "http://example.org/all"),
        ("http://example.org", "", "http://example.org/"),
    ] {
        let endpoint = Endpoint::new(base, path).unwrap();
        assert_eq!(endpoint.to_string(), joined, "{base} and {path}");
        let (_, requested) = joined.split_once("://").and_then(|(_, rest)| rest.split_once('/')).unwrap();
        assert_eq!(endpoint.uri().path(), format!("/{requested}"), "{base} and {path}");
    }
}

#[test]
fn a_path_may_carry_a_query_which_is_not_shown() {
    let endpoint = Endpoint::new("http://example.org", "/all?filter=a%20b").unwrap();
    assert_eq!(endpoint.uri().query(), Some("filter=a%20b"));
    assert_eq!(endpoint.to_string(), "http://example.org/all");
}

#[test]
fn an_unusable_base_uri_is_refused_with_a_message_that_says_what_is_allowed() {
    for (base, error) in [
        ("", "the base URI `` is invalid: empty string"),
        ("not a uri", "the base URI `not a uri` is invalid: invalid uri character"),
        ("http://", "the base URI `http://` is invalid: empty string"),
        ("http:///all", "the base URI `http:///all` is invalid: invalid format"),
        ("http://:80", "the base URI `http://:80` has no host"),
        (
            "http://example.org:port",
            "the base URI `http://example.org:port` has an invalid port; a number from 0 to 65535 is allowed",
        ),
        (
            "http://user@[::1]:65536",
            "the base URI `http://[secret]@[::1]:65536` has an invalid port; a number from 0 to 65535 is allowed",
        ),
        ("example.org", "the base URI `example.org` has no scheme; http:// or https:// is allowed"),
        ("/all", "the base URI `/all` has no scheme; http:// or https:// is allowed"),
        ("ftp://example.org", "the base URI `ftp://example.org` has the scheme ftp; http or https is allowed"),
        ("http://example.org#top", "the base URI `http://example.org#[secret]` has a fragment; none is allowed"),
        ("http://example.org?a=1", "the base URI `http://example.org?[secret]` has a query; none is allowed"),
    ] {
        assert_eq!(Endpoint::new(base, "/all").unwrap_err().to_string(), error, "{base}");
    }
}

#[test]
fn user_password_and_query_are_never_shown() {
    let endpoint = Endpoint::new("http://user:hidden@example.org", "/all?key=hidden").unwrap();
    assert_eq!(endpoint.to_string(), "http://example.org/all");
    assert_eq!(format!("{endpoint:?}"), "Endpoint(http://example.org/all)");
    assert_eq!(endpoint.uri().authority().unwrap(), "user:hidden@example.org", "the request still has them");
    for base in [
        "ftp://user:hidden@example.org",
        "user:hidden@example.org",
        "http://user:hi/hidden@example.org",
        "http://user:hi?hidden@example.org",
        "http://user:hi hidden@example.org",
        "http://example.org?key=hidden",
        "http://example.org#hidden",
        "http://example.org?mail=a@hidden@b",
    ] {
        let error = Endpoint::new(base, "/all").unwrap_err();
        assert!(!error.to_string().contains("hidden"), "{error}");
        assert!(!format!("{error:?}").contains("hidden"), "{error:?}");
    }
    let error = Endpoint::new("ftp://user:hidden@example.org/a", "/all").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the base URI `ftp://[secret]@example.org/a` has the scheme ftp; http or https is allowed"
    );
}
