public import Foundation
import Synchronization

/// A type that fields can store: strings, numbers, dates, bytes, references, locations, assets, and arrays of them.
public protocol CKRecordValueProtocol {}

/// The same as `CKRecordValueProtocol`: Linux has no Objective-C types for values.
public typealias CKRecordValue = CKRecordValueProtocol
/// The name of `CKRecordValueProtocol` in CloudKit's Objective-C signatures.
public typealias __CKRecordObjCValue = CKRecordValueProtocol

/// An object whose fields are set by name.
public protocol CKRecordKeyValueSetting: AnyObject {
    /// The value of a field; nil if the record has none.
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)?
    /// Sets a field; nil removes it.
    func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: CKRecord.FieldKey)
    /// The names of all fields that have a value.
    func allKeys() -> [CKRecord.FieldKey]
    /// The names of the fields that changed since the record was fetched or saved.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// The value of a field. Numbers are `NSNumber`, which casts to every numeric type that can hold the value. Where
    /// the type is known, as in `record["title"] ?? "Untitled"`, the compiler prefers the generic subscript.
    @_disfavoredOverload public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field as a type; nil if the field has no value of this type.
    public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
        get { object(forKey: key) as? Value }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field, as in key-value coding.
    public func value(forKey key: CKRecord.FieldKey) -> Any? { object(forKey: key) }

    /// Sets a field, as in key-value coding. The save fails for a value of an unsupported type.
    public func setValue(_ value: Any?, forKey key: CKRecord.FieldKey) {
        setObject(value.map { FieldContent(any: $0)?.value ?? UnknownValue(type: "\(type(of: $0))") }, forKey: key)
    }
}

/// A value of an unsupported type. The save of the record fails with `invalidArguments`.
struct UnknownValue: CKRecordValueProtocol {
    var type: String
}

extension CKRecord: CKRecordKeyValueSetting {
    /// The value of a field; nil if the record has none, and for encrypted fields.
    public func object(forKey key: FieldKey) -> (any CKRecordValueProtocol)? {
        state.withLock { $0.fields[key] }.flatMap { $0.isEncrypted ? nil : $0.value }
    }

    /// Sets a field; nil removes it.
    public func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: FieldKey) {
        let content = object.map { FieldContent(given: $0) }
        state.withLock { state in
            state.fields[key] = content
            state.changed.insert(key)
        }
    }

    /// The names of all fields that have a value; encrypted ones are in `encryptedValues`.
    public func allKeys() -> [FieldKey] {
        state.withLock { state in state.fields.keys.filter { !state.isEncrypted($0) } }.sorted()
    }

    /// The names of the fields that changed since the record was fetched or saved; encrypted ones are in
    /// `encryptedValues`.
    public func changedKeys() -> [FieldKey] {
        state.withLock { state in state.changed.filter { !state.isEncrypted($0) } }.sorted()
    }

    /// The lowercase words of all strings except encrypted ones, as searches compare them.
    public func allTokens() -> [String] {
        let texts = state.withLock { $0.fields.values.flatMap(\.texts) }
        return Set(texts.flatMap { $0.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init) }).sorted()
    }
}

extension String: CKRecordValueProtocol {}
extension NSString: CKRecordValueProtocol {}
extension NSNumber: CKRecordValueProtocol {}
extension Bool: CKRecordValueProtocol {}
extension Int: CKRecordValueProtocol {}
extension Int8: CKRecordValueProtocol {}
extension Int16: CKRecordValueProtocol {}
extension Int32: CKRecordValueProtocol {}
extension Int64: CKRecordValueProtocol {}
extension UInt: CKRecordValueProtocol {}
extension UInt8: CKRecordValueProtocol {}
extension UInt16: CKRecordValueProtocol {}
extension UInt32: CKRecordValueProtocol {}
extension UInt64: CKRecordValueProtocol {}
extension Float: CKRecordValueProtocol {}
extension Double: CKRecordValueProtocol {}
extension Date: CKRecordValueProtocol {}
extension NSDate: CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}
extension NSData: CKRecordValueProtocol {}
extension NSArray: CKRecordValueProtocol {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension CKRecord.Reference: CKRecordValueProtocol {}
extension CKAsset: CKRecordValueProtocol {}
extension CLLocation: CKRecordValueProtocol {}
