package import CloudModel

/// A web courier and its place in its feed (spec section 5.12): it is a device of its own, with a feed of its own.
package struct CourierPlace: Sendable {
    /// The device that it is.
    package let device: Device
    /// The name of the client that made it, which is not told of its own changes.
    package let client: DeviceID?
    /// The change token after what was handed out; nil before the first.
    package let token: String?
}
