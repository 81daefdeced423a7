package import CloudModel
package import HTTPClient

extension MultiplexingConfiguration {
    /// This configuration, for connections that are counted as those of a kind of provider.
    package func counted(of kind: CourierKind) -> MultiplexingConfiguration {
        var counted = self
        counted.connecting = { PushSenderMetrics.connecting(kind) }
        return counted
    }
}
