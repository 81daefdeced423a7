/// The description of a cluster, as it gives it of itself.
package struct KafkaClusterDescription: Hashable, Sendable {
    /// One broker of it.
    package struct Broker: Hashable, Sendable {
        /// Its number.
        package let id: Int32
        /// The host at which clients reach it.
        package let host: String
        /// The port there.
        package let port: Int32
    }

    /// The cluster's own identifier, nil if it has none.
    package let clusterID: String?
    /// The broker that is asked to change things, -1 if unknown.
    package let controllerID: Int32
    /// The brokers that are up: as many replicas as these can be asked for.
    package let brokers: [Broker]
}
