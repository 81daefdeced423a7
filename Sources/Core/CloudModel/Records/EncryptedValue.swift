/// The value of an encrypted field: open in requests and answers, sealed wherever it is stored or published.
package enum EncryptedValue: Hashable, Sendable {
    /// A plain value, as it goes into the field or comes out of it. It is never stored.
    case open(FieldValue)
    /// A plain time, or list of times, each also in seconds since 2001, as clients keep it: milliseconds are what
    /// queries compare, and an encrypted field is compared with nothing.
    case exact(FieldValue, seconds: [Double])
    /// Bytes that only the service's keys open, in the place of a value of a type.
    case sealed([UInt8], as: FieldType)

    /// The type of the field.
    package var type: FieldType { plainType.encryptedType ?? .encryptedBytes }

    /// The type of the plain value.
    package var plainType: FieldType {
        switch self {
        case .open(let value), .exact(let value, seconds: _): value.type
        case .sealed(_, let type): type
        }
    }

    /// An open value with its times in seconds since 2001; nil if they do not belong to it.
    package init?(_ value: FieldValue, seconds: [Double]) {
        var times: [Timestamp] = []
        switch value {
        case .timestamp(let time): times = [time]
        case .list(let elements, of: .timestamp):
            for case .timestamp(let time) in elements { times.append(time) }
        default: return nil
        }
        let agree = zip(times, seconds).allSatisfy { time, seconds in
            abs((seconds + Self.secondsUntil2001) * 1000 - Double(time.milliseconds)) <= 1
        }
        guard times.count == seconds.count, agree else { return nil }
        self = .exact(value, seconds: seconds)
    }

    /// Seconds from 1970 to 2001.
    private static let secondsUntil2001 = 978_307_200.0
}
