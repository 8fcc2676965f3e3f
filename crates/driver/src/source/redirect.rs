//! Redirects.

use http::header::LOCATION;
use http::{HeaderMap, StatusCode, Uri};
use url::{Origin, Url};

/// The maximum number of redirects of one request.
pub(crate) const MOST: usize = 3;

/// The target of this response from `from`; `None`: no valid target.
pub(crate) fn target(from: &Uri, status: StatusCode, headers: &HeaderMap) -> Option<Uri> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let mut target = Url::parse(&from.to_string()).ok()?.join(location).ok()?;
    target.set_fragment(None);
    matches!(target.scheme(), "http" | "https").then(|| target.as_str().parse().ok())?
}

/// Whether a credential for the server of one address may be sent to the other.
pub(crate) fn same_server(one: &Uri, other: &Uri) -> bool {
    let origin = |uri: &Uri| Url::parse(&uri.to_string()).ok().map(|url| url.origin());
    match (origin(one), origin(other)) {
        (Some(one @ Origin::Tuple(..)), Some(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn sent(from: &'static str, status: u16, location: &'static str) -> Option<String> {
        let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_static(location))]);
        let status = StatusCode::from_u16(status).unwrap();
        target(&Uri::from_static(from), status, &headers).map(|target| target.to_string())
    }

    #[test]
    fn a_location_is_relative_to_its_response() {
        let from = "http://example.org:8000/endpoints/3/all";
        for (location, expected) in [
            ("http://example.net/all", "http://example.net/all"),
            ("https://example.org/all#there", "https://example.org/all"),
            ("/all", "http://example.org:8000/all"),
            ("there", "http://example.org:8000/endpoints/3/there"),
            ("?page=2", "http://example.org:8000/endpoints/3/all?page=2"),
            ("//example.net/all", "http://example.net/all"),
        ] {
            for status in [301, 302, 303, 307, 308] {
                assert_eq!(sent(from, status, location).as_deref(), Some(expected), "{status} {location}");
            }
        }
    }

    #[test]
    fn an_invalid_target_is_no_redirect() {
        for location in ["ftp://example.org/all", "http://", "http://example.org:99999/", "file:///etc/hosts"] {
            assert_eq!(sent("http://example.org/all", 301, location), None, "{location}");
        }
        for status in [300, 304, 305, 306, 399, 200] {
            assert_eq!(sent("http://example.org/all", status, "/there"), None, "{status}");
        }
        assert_eq!(target(&Uri::from_static("http://example.org"), StatusCode::FOUND, &HeaderMap::new()), None);
    }

    #[test]
    fn a_server_is_a_scheme_a_host_and_a_port() {
        let same = |one, other| same_server(&Uri::from_static(one), &Uri::from_static(other));
        assert!(same("http://example.org/a", "http://example.org:80/b"));
        assert!(same("https://example.org", "https://EXAMPLE.org:443"));
        assert!(!same("https://example.org", "http://example.org"));
        assert!(!same("http://example.org", "http://example.org:8000"));
        assert!(!same("http://example.org", "http://example.net"));
    }
}
