import CloudModel

#if canImport(CoreLocation)
    @_exported public import CoreLocation
    import Foundation
#else
    public import Foundation

    /// Degrees of latitude or longitude.
    public typealias CLLocationDegrees = Double
    /// Metres.
    public typealias CLLocationDistance = Double

    /// A point on Earth, in degrees.
    public struct CLLocationCoordinate2D: Hashable, Sendable {
        /// Degrees north of the equator.
        public var latitude: CLLocationDegrees
        /// Degrees east of Greenwich.
        public var longitude: CLLocationDegrees

        /// A point.
        public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// A measured place: replaces Core Location's class on systems without Core Location.
    public final class CLLocation: NSObject, NSSecureCoding, NSCopying, Sendable {
        /// The point.
        public let coordinate: CLLocationCoordinate2D
        /// Metres above sea level.
        public let altitude: CLLocationDistance
        /// Metres; negative if not known.
        public let horizontalAccuracy: CLLocationDistance
        /// Metres; negative if not known.
        public let verticalAccuracy: CLLocationDistance
        /// Degrees from north; negative if not known.
        public let course: Double
        /// Metres a second; negative if not known.
        public let speed: Double
        /// The time of the measurement.
        public let timestamp: Date

        /// Creates a place from a measurement.
        public init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationDistance,
            verticalAccuracy: CLLocationDistance, course: Double = -1, speed: Double = -1, timestamp: Date
        ) {
            self.coordinate = coordinate
            self.altitude = altitude
            self.horizontalAccuracy = horizontalAccuracy
            self.verticalAccuracy = verticalAccuracy
            self.course = course
            self.speed = speed
            self.timestamp = timestamp
        }

        /// A point.
        public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
            self.init(
                coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
                horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
        }

        /// The distance to another place in metres, on a sphere of Earth's mean radius.
        public func distance(from location: CLLocation) -> CLLocationDistance {
            func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
            let (from, to) = (radians(coordinate.latitude), radians(location.coordinate.latitude))
            let across = radians(location.coordinate.longitude - coordinate.longitude)
            let chord = pow(sin((to - from) / 2), 2) + cos(from) * cos(to) * pow(sin(across / 2), 2)
            return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
        }

        /// True for the same point, altitude and time.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLLocation else { return false }
            return coordinate == other.coordinate && altitude == other.altitude && timestamp == other.timestamp
        }

        /// A hash of the point.
        public override var hash: Int { coordinate.hashValue }

        /// The point, for developers.
        public override var description: String { "<\(coordinate.latitude),\(coordinate.longitude)>" }

        /// The place itself, which never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }

        /// True.
        public static var supportsSecureCoding: Bool { true }

        /// Writes the point, the altitude and the time.
        public func encode(with coder: NSCoder) {
            coder.encode(coordinate.latitude, forKey: "Latitude")
            coder.encode(coordinate.longitude, forKey: "Longitude")
            coder.encode(altitude, forKey: "Altitude")
            coder.encode(timestamp.timeIntervalSince1970, forKey: "Time")
        }

        /// A place from an archive.
        public convenience init?(coder: NSCoder) {
            self.init(
                coordinate: CLLocationCoordinate2D(
                    latitude: coder.decodeDouble(forKey: "Latitude"), longitude: coder.decodeDouble(forKey: "Longitude")
                ),
                altitude: coder.decodeDouble(forKey: "Altitude"), horizontalAccuracy: 0, verticalAccuracy: 0,
                timestamp: Date(timeIntervalSince1970: coder.decodeDouble(forKey: "Time")))
        }
    }
#endif

extension CLLocation {
    convenience init(_ noun: Location) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: noun.latitude, longitude: noun.longitude),
            altitude: noun.altitude ?? 0, horizontalAccuracy: noun.horizontalAccuracy ?? 0,
            verticalAccuracy: noun.verticalAccuracy ?? -1, course: noun.course ?? -1, speed: noun.speed ?? -1,
            timestamp: noun.timestamp.map { Date($0) } ?? Date(timeIntervalSince1970: 0))
    }

    var noun: Location {
        Location(
            latitude: coordinate.latitude, longitude: coordinate.longitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, altitude: altitude, speed: speed, course: course,
            timestamp: Timestamp(timestamp))
    }
}
