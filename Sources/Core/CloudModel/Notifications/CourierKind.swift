/// The kind of courier that pushes a device's notifications: delivery stores it with the device, and the courier of
/// that name does the rest.
package struct CourierKind: Hashable, Sendable, CustomStringConvertible {
    /// The name, as messages carry it.
    package let rawValue: String

    /// The courier that clients poll.
    package static let web = CourierKind("web")

    package init(_ rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}
