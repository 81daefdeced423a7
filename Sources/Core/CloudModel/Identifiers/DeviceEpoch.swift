/// One life of a device: the sequence of its registration, so that no epoch is ever used twice.
package struct DeviceEpoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    package static func < (left: DeviceEpoch, right: DeviceEpoch) -> Bool { left.rawValue < right.rawValue }

    package var description: String { "\(rawValue)" }
}
