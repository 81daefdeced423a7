package import CloudModel
package import EventLog

extension LogTimestamp {
    /// The time of an entry's event, as the log keeps it.
    package init(_ time: Timestamp) { self.init(milliseconds: time.milliseconds) }
}

extension Timestamp {
    /// The time that an entry carries.
    package init(_ time: LogTimestamp) { self.init(milliseconds: time.milliseconds) }
}
