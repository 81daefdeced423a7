package import CloudModel
package import RecordStore

/// A webhook as an operator sees it.
package struct ListedWebhook: Sendable {
    /// The URL; nil where no key of the ring opens it.
    package var url: String?
    /// The registration, and what became of the last requests.
    package var stored: StoredPushAddress

    /// The device that has it.
    package var device: DeviceID { stored.device }
}
