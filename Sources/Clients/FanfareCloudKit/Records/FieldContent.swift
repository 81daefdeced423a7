import CloudModel
import Foundation

/// The value of a field in the client.
indirect enum FieldContent: Sendable, Equatable {
    case string(String)
    case int64(Int64)
    case double(Double)
    case date(Date)
    case bytes(Data)
    case reference(CKRecord.Reference)
    case location(CLLocation)
    case asset(CKAsset)
    case list([FieldContent])
    /// A value that the service encrypts.
    case encrypted(FieldContent)
    /// A value of an unsupported type; the name of the type.
    case unknown(String)

    /// Converts a value that an app sets; nil for an unsupported type.
    init?(any value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let content as [Any]:
            var elements: [FieldContent] = []
            for element in content {
                guard let element = FieldContent(any: element) else { return nil }
                elements.append(element)
            }
            self = .list(Self.unified(elements))
        case let reference as CKRecord.Reference: self = .reference(reference)
        case let asset as CKAsset: self = .asset(asset)
        case let location as CLLocation: self = .location(location)
        case let date as Date: self = .date(date)
        case let data as Data: self = .bytes(data)
        case let number as NSNumber: self.init(number)
        default: return nil
        }
    }

    private init?(_ number: NSNumber) {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): self = .double(number.doubleValue)
        case CChar(UInt8(ascii: "Q")) where number.uint64Value > UInt64(Int64.max): return nil
        default: self = .int64(number.int64Value)
        }
    }

    /// Converts the numbers of a list to doubles if one of them is a double.
    private static func unified(_ elements: [FieldContent]) -> [FieldContent] {
        guard elements.contains(where: { if case .double = $0 { true } else { false } }) else { return elements }
        return elements.map { if case .int64(let number) = $0 { .double(Double(number)) } else { $0 } }
    }

    /// The value that apps read.
    var value: any CKRecordValueProtocol {
        switch self {
        case .string(let text): text
        case .int64(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .date(let date): date
        case .bytes(let data): data
        case .reference(let reference): reference
        case .location(let location): location
        case .asset(let asset): asset
        case .list(let elements): Self.array(elements)
        case .encrypted(let content): content.value
        case .unknown(let type): UnknownValue(type: type)
        }
    }

    /// An array of the elements' common type, so that it casts to that type.
    private static func array(_ elements: [FieldContent]) -> any CKRecordValueProtocol {
        let values = elements.map(\.value)
        if let texts = values as? [String] { return texts }
        if let numbers = values as? [NSNumber] { return numbers }
        if let dates = values as? [Date] { return dates }
        if let data = values as? [Data] { return data }
        if let references = values as? [CKRecord.Reference] { return references }
        if let locations = values as? [CLLocation] { return locations }
        if let assets = values as? [CKAsset] { return assets }
        return NSArray(array: values)
    }

    /// True for a value that the service encrypts.
    var isEncrypted: Bool { if case .encrypted = self { true } else { false } }

    /// True for a date or a list of dates.
    var isDate: Bool {
        switch self {
        case .date: true
        case .list(let elements): elements.first?.isDate ?? false
        default: false
        }
    }

    /// The strings of the value, except encrypted ones.
    var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .list(let elements): elements.flatMap(\.texts)
        default: []
        }
    }

    /// The files of the value.
    var assets: [CKAsset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(let elements): elements.flatMap(\.assets)
        default: []
        }
    }
}
