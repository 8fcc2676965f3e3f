//! The address of a source's requests.

use core::fmt;

use http::Uri;

/// The address of one request: a base URI and a path, joined by exactly one slash.
///
/// ```
/// use retrylab_source::Endpoint;
///
/// let endpoint = Endpoint::new("http://example.org:8000/endpoints/3/", "/all")?;
/// assert_eq!(endpoint.to_string(), "http://example.org:8000/endpoints/3/all");
/// let error = Endpoint::new("ftp://example.org", "/all").unwrap_err();
/// assert_eq!(error.to_string(), "the base URI `ftp://example.org` has the scheme ftp; http or https is allowed");
/// # Ok::<(), retrylab_source::EndpointError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    uri: Uri,
}

impl Endpoint {
    /// Joins a base URI and a path.
    ///
    /// # Errors
    ///
    /// If the base is no absolute http or https URI, has no host, or has a query, a fragment or an invalid port.
    pub fn new(base: &str, path: &str) -> Result<Self, EndpointError> {
        let error = |reason| EndpointError { base: without_secrets(base), reason };
        let parsed: Uri =
            base.parse().map_err(|invalid: http::uri::InvalidUri| error(Reason::Invalid(invalid.to_string())))?;
        match parsed.scheme_str() {
            Some("http" | "https") => {}
            Some(scheme) => return Err(error(Reason::Scheme(scheme.to_owned()))),
            None => return Err(error(Reason::Relative)),
        }
        if parsed.host().is_none_or(str::is_empty) {
            return Err(error(Reason::Host));
        }
        // The parser accepts any text as a port, and then reports no port.
        if parsed.port_u16().is_none() && parsed.authority().is_some_and(|authority| has_port(authority.as_str())) {
            return Err(error(Reason::Port));
        }
        // The parser drops a fragment, which would swallow the path.
        if base.contains('#') {
            return Err(error(Reason::Fragment));
        }
        if parsed.query().is_some() {
            return Err(error(Reason::Query));
        }
        let joined = format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'));
        let uri =
            joined.parse().map_err(|invalid: http::uri::InvalidUri| error(Reason::Invalid(invalid.to_string())))?;
        Ok(Self { uri })
    }

    /// The form for the HTTP libraries.
    #[must_use]
    pub const fn uri(&self) -> &Uri {
        &self.uri
    }
}

/// Hides secrets: the user and password.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.uri.scheme_str().unwrap_or("http");
        let host = self.uri.host().unwrap_or_default();
        write!(f, "{scheme}://{host}")?;
        if let Some(port) = self.uri.port_u16() {
            write!(f, ":{port}")?;
        }
        f.write_str(self.uri.path())
    }
}

/// Hides secrets, as `Display` does.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

/// Whether the host has a suffix: text after the last colon, unless that belongs to an IPv6 address or to a user.
fn has_port(authority: &str) -> bool {
    authority.rsplit_once(':').is_some_and(|(_, port)| !port.is_empty() && !port.contains([']', '@']))
}

/// The text of a base URI, valid or not, without secrets: user, password, query and fragment.
pub(crate) fn without_secrets(base: &str) -> String {
    let (scheme, rest) = base.split_at(base.find("://").map_or(0, |colon| colon + "://".len()));
    // In invalid text a password may hold any character, so everything before the last `@` counts as one.
    let (user, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| ("[secret]@", rest));
    match rest.find(['?', '#']) {
        Some(mark) => format!("{scheme}{user}{}[secret]", &rest[..=mark]),
        None => format!("{scheme}{user}{rest}"),
    }
}

/// An error in a base URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointError {
    base: String,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Invalid(String),
    Relative,
    Scheme(String),
    Host,
    Port,
    Fragment,
    Query,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the base URI `{}` ", self.base)?;
        match &self.reason {
            Reason::Invalid(error) => write!(f, "is invalid: {error}"),
            Reason::Relative => write!(f, "has no scheme; http:// or https:// is allowed"),
            Reason::Scheme(scheme) => write!(f, "has the scheme {scheme}; http or https is allowed"),
            Reason::Host => write!(f, "has no host"),
            Reason::Port => write!(f, "has an invalid port; a number from 0 to 65535 is allowed"),
            Reason::Fragment => write!(f, "has a fragment; none is allowed"),
            Reason::Query => write!(f, "has a query; none is allowed"),
        }
    }
}

impl std::error::Error for EndpointError {}
