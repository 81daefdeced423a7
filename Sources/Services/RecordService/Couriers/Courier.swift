package import CloudModel

/// A web courier: hands out a user's notifications as push payloads, one at a time (spec section 5.12). It is a device of
/// its own, with a feed of its own.
package struct Courier: Sendable {
    /// The device that it is.
    package let device: Device
    /// What the client that made it calls itself: it is not told of its own changes.
    package let client: DeviceID?
    /// The change token after what was handed out; nil before the first.
    package let token: String?
}

/// The environments of APNs that clients name. Nothing here depends on it, as pushes go to web couriers alone.
package enum APNSEnvironment: String, CaseIterable, Sendable {
    case development
    case production
}
