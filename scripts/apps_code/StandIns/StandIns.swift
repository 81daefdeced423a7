@_exported import Foundation

public struct Logger: Sendable {
    public init(subsystem: String = "", category: String = "") {}
    public init(label: String) {}
    public func log(_ message: @autoclosure () -> String) {}
    public func debug(_ message: @autoclosure () -> String) {}
    public func info(_ message: @autoclosure () -> String) {}
    public func notice(_ message: @autoclosure () -> String) {}
    public func warning(_ message: @autoclosure () -> String) {}
    public func error(_ message: @autoclosure () -> String) {}
    public func critical(_ message: @autoclosure () -> String) {}
    public func fault(_ message: @autoclosure () -> String) {}
}

public enum OSLogType: Sendable { case `default`, info, debug, error, fault }
public struct OSLog: Sendable {
    public static let `default` = OSLog(subsystem: "", category: "")
    public init(subsystem: String, category: String) {}
}
public func os_log(_ message: String, log: OSLog = .default, type: OSLogType = .default, _ arguments: Any...) {}

extension UserDefaults {
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}

public struct UTType: Hashable, Sendable {
    public static let data = UTType("public.data")!
    public let identifier: String
    public var preferredFilenameExtension: String? { identifier.split(separator: ".").last.map { String($0) } }
    public init?(_ identifier: String) { self.identifier = identifier }
    public static let jpeg = UTType("public.jpeg")!
    public static let png = UTType("public.png")!
    public static let json = UTType("public.json")!
    public static let propertyList = UTType("public.propertyList")!
    public static let xmlPropertyList = UTType("public.xmlPropertyList")!
    public static let binaryPropertyList = UTType("public.binaryPropertyList")!
    public func conforms(to type: UTType) -> Bool { self == type }
    public var isDynamic: Bool { false }
}

extension URLResourceKey { public static let contentTypeKey = URLResourceKey(rawValue: "contentType") }
extension URLResourceValues { public var contentType: UTType? { nil } }

public protocol ObservableObject: AnyObject {}

@propertyWrapper public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var projectedValue: Published<Value> { self }
}
extension Published: Sendable where Value: Sendable {}

extension Data.WritingOptions { public static let atomicWrite: Data.WritingOptions = .atomic }
