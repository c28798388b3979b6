//! Who turns an allowed name into addresses. The answer is checked by whoever dials it: a name server is not trusted
//! to keep away from private addresses.

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::proto::rr::Name;
use std::net::IpAddr;
use std::pin::Pin;

/// The addresses of a name, in the order in which to try them; or the resolver's words.
pub type Lookup<'a> = Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, String>> + Send + 'a>>;

/// Resolves names.
pub trait Resolve: Send + Sync {
    /// The addresses of a full name (lower case, ASCII, no final dot). Dropping the future ends the lookup.
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a>;
}

/// Asks the name servers that this machine asks, after its hosts file. Search domains are not tried: an allowlist
/// lists full names.
pub struct SystemResolver {
    resolver: Result<TokioResolver, String>,
}

impl SystemResolver {
    /// Reads the machine's settings. Where they can't be used, every lookup says so.
    pub fn new() -> SystemResolver {
        let resolver = TokioResolver::builder_tokio().and_then(|mut builder| {
            // IPv4 comes first, since a broken IPv6 route often only shows after a long wait.
            builder.options_mut().ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
            builder.build()
        });
        SystemResolver { resolver: resolver.map_err(|e| format!("this machine's name servers: {e}")) }
    }
}

impl Default for SystemResolver {
    fn default() -> SystemResolver {
        SystemResolver::new()
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let resolver = self.resolver.as_ref().map_err(Clone::clone)?;
            let mut full = Name::from_ascii(name).map_err(|e| e.to_string())?;
            full.set_fqdn(true);
            let found = resolver
                .lookup_ip(full)
                .await
                .map_err(|e| if e.is_no_records_found() { "no such name".to_owned() } else { e.to_string() })?;
            let mut addresses: Vec<IpAddr> = found.iter().collect();
            addresses.sort_by_key(IpAddr::is_ipv6);
            Ok(addresses)
        })
    }
}
