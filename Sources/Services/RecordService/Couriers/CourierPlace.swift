package import CloudModel

/// A web courier and its position in its feed (docs/cloudkit.md#web-courier). It is a device of its own, with a feed of
/// its own.
package struct CourierPlace: Sendable {
    /// The device that it is.
    package let device: Device
    /// The name of the client that made it, which is not notified of its own changes.
    package let client: DeviceID?
    /// The change token after the last delivered notification; nil before the first.
    package let token: String?
}
