/// A place on Earth as a device measured it (docs/cloudkit.md#dictionaries).
package struct Location: Hashable, Sendable {
    /// Degrees, −90 to 90.
    package var latitude: Double
    /// Degrees, −180 to 180.
    package var longitude: Double
    /// Metres.
    package var horizontalAccuracy: Double?
    /// Metres.
    package var verticalAccuracy: Double?
    /// Metres above sea level.
    package var altitude: Double?
    /// Metres a second.
    package var speed: Double?
    /// Degrees from north.
    package var course: Double?
    /// The time of the measurement.
    package var timestamp: Timestamp?

    package init(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil,
        altitude: Double? = nil, speed: Double? = nil, course: Double? = nil, timestamp: Timestamp? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.altitude = altitude
        self.speed = speed
        self.course = course
        self.timestamp = timestamp
    }

    /// Indicates whether the coordinates are on Earth.
    package var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
}
