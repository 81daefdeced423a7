package import CloudModel
package import JSON

/// The extent of an audit that an operator starts.
package struct AuditRequest: Sendable {
    package var scope: ContainerEnvironment
    /// Only changes committed at this time or later; nil is all that are kept.
    package var from: Timestamp?
    /// Only changes committed at this time or earlier; nil is all.
    package var to: Timestamp?
    /// Only these devices, and their users' journals; empty is all.
    package var devices: [DeviceID]

    package init(scope: ContainerEnvironment, from: Timestamp?, to: Timestamp?, devices: [DeviceID]) {
        self.scope = scope
        self.from = from
        self.to = to
        self.devices = devices
    }
}

/// Takes what a running audit reports.
package struct AuditReporter: Sendable {
    /// Called now and then with the share of the work that is done, 0 to 1.
    package var progress: @Sendable (Double) -> Void
    /// Called with each difference.
    package var found: @Sendable (JSONObject) -> Void
}
