import CloudModel
public import Foundation

/// The value of a record's field.
public enum FanfareValue: Hashable, Sendable {
    case string(String)
    case int64(Int64)
    case double(Double)
    /// A point in time, kept to the millisecond.
    case date(Date)
    case bytes(Data)
    /// Another record.
    case reference(FanfareReference)
    /// A place on Earth, in degrees.
    case location(latitude: Double, longitude: Double)
    /// An uploaded file, by its SHA-256 in base64 and its size in bytes.
    case asset(fileChecksum: String, size: Int64)
    /// Values of one type.
    case list([FanfareValue])
    /// The value of an encrypted field, which the service seals where it keeps it; no reference and no file.
    indirect case encrypted(FanfareValue)
}

extension FanfareValue {
    /// A value as a service has answered it.
    init(_ value: FieldValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .int64(let number): self = .int64(number)
        case .double(let number): self = .double(number)
        case .timestamp(let time): self = .date(Date(time))
        case .bytes(let bytes): self = .bytes(Data(bytes))
        case .reference(let reference): self = .reference(FanfareReference(reference))
        case .location(let location):
            self = .location(latitude: location.latitude, longitude: location.longitude)
        case .asset(let asset): self = .asset(fileChecksum: asset.fileChecksum, size: asset.size)
        case .list(let elements, _): self = .list(elements.map { FanfareValue($0) })
        case .encrypted(.open(let value)): self = .encrypted(FanfareValue(value))
        case .encrypted(.sealed): self = .encrypted(.bytes(Data()))
        }
    }

    /// The value as a request gives it. The type is said, but for empty lists, which have that of the field.
    var given: GivenValue {
        if case .encrypted(let value) = self {
            let given = value.given
            return GivenValue(.encrypted(.open(given.value)), isTypeExplicit: given.isTypeExplicit)
        }
        if case .list(let elements) = self, elements.isEmpty {
            return GivenValue(.list([], of: .string), isTypeExplicit: false)
        }
        return GivenValue(field, isTypeExplicit: true)
    }

    private var field: FieldValue {
        switch self {
        case .string(let text): .string(text)
        case .int64(let number): .int64(number)
        case .double(let number): .double(number)
        case .date(let date): .timestamp(Timestamp(date))
        case .bytes(let data): .bytes(Array(data))
        case .reference(let reference): .reference(reference.noun)
        case .location(let latitude, let longitude):
            .location(Location(latitude: latitude, longitude: longitude))
        case .asset(let checksum, let size): .asset(Asset(fileChecksum: checksum, size: size))
        case .list(let elements): Self.list(elements.map(\.field))
        case .encrypted(let value): .encrypted(.open(value.field))
        }
    }

    private static func list(_ elements: [FieldValue]) -> FieldValue { .list(elements, of: elements[0].type) }
}

extension Date {
    init(_ time: Timestamp) { self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000) }
}

extension Timestamp {
    init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
}
