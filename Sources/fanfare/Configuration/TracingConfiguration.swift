/// The settings of distributed traces.
struct TracingConfiguration: Sendable {
    /// The address of an OTLP collector over HTTP; empty: no trace is kept.
    var endpoint = ""
    /// The share of requests without a trace of their own that begin one.
    var ratio = 0.0
}
