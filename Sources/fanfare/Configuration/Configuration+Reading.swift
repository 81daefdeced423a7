import CloudModel
import FileSystem
import JSON
import Settings

#if canImport(Glibc)
    import Glibc
#endif

extension Configuration {
    /// The prefix of environment variables.
    static let environmentPrefix = "FANFARE_"
    private static let kafkaPrefix = "FANFARE_KAFKA_PROPERTY_"
    private static let fileSuffix = "_FILE"

    /// The settings of a command.
    static func table(for command: Command) -> SettingsTable<Configuration> {
        SettingsTable(environmentPrefix: environmentPrefix, unique(command.settings))
    }

    /// All settings of the services, for documentation and `fanfare configuration`.
    static var services: SettingsTable<Configuration> {
        SettingsTable(
            environmentPrefix: environmentPrefix,
            unique([.common, .containers, .store, .log, .server, .quotas, .push, .delivery, .marks]))
    }

    /// Reads flags over environment over file over defaults.
    /// - Throws: `SettingsError` with the name and the error, or with a word that the command does not take, `FileError` if a file cannot be read.
    static func read(
        _ arguments: [String], for command: Command, environment: [String: String] = Self.environment
    ) throws -> SettingsTable<Configuration>.Reading {
        let table = table(for: command)
        let first = try table.read(
            Configuration(), arguments: arguments, environment: environment, secretFile: firstLine)
        if let word = first.operands.first, !command.takesWords {
            throw SettingsError("'\(word)' is no flag, and '\(command.name)' takes nothing else; --help lists all")
        }
        let path = first.configuration.configFile
        var reading = first
        if !path.isEmpty {
            let values = try file(path, command)
            reading = try table.read(
                Configuration(), arguments: arguments, environment: environment, file: (path, values),
                secretFile: firstLine)
        }
        reading.configuration.areEnvironmentsNamed = reading.sources["environments"] != nil
        reading.configuration.kafkaProperties = try kafkaProperties(environment)
        return reading
    }

    /// The properties of librdkafka that the environment has: the value itself, or as `…_FILE` the path of a file whose
    /// first line it is, for passwords.
    private static func kafkaProperties(_ environment: [String: String]) throws -> [String: String] {
        var properties: [String: String] = [:]
        for (variable, value) in environment where variable.hasPrefix(kafkaPrefix) {
            let isFile = variable.hasSuffix(fileSuffix)
            let name = variable.dropFirst(kafkaPrefix.count).dropLast(isFile ? fileSuffix.count : 0)
            let property = String(name.lowercased().map { $0 == "_" ? "." : $0 })
            if isFile, environment[String(variable.dropLast(fileSuffix.count))] != nil { continue }
            properties[property] = isFile ? try firstLine(value) : value
        }
        return properties
    }

    /// A secret as a file has it.
    private static func firstLine(_ path: String) throws -> String {
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }

    /// The file's keys and values. A file may serve several commands: settings of others are left out, unknown ones are
    /// errors.
    private static func file(_ path: String, _ command: Command) throws -> [String: String] {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: Files.read(path))
        } catch let error as JSONError {
            throw SettingsError("\(path) is not valid JSON: \(error)")
        }
        guard let object = json.object else { throw SettingsError("\(path) must hold a JSON object") }
        let own = Set(table(for: command).names)
        let known = Set(services.names)
        var values: [String: String] = [:]
        for (key, value) in object where own.contains(key) || !known.contains(key) {
            values[key] = try text(value, key, path)
        }
        return values
    }

    private static func text(_ value: JSONValue, _ key: String, _ path: String) throws -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .double(let number): return String(number)
        case .bool(let flag): return flag ? "true" : "false"
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }):
            return elements.compactMap(\.string).joined(separator: ",")
        default:
            throw SettingsError(
                "the setting '\(key)' in \(path) is \(value.kind); give a text, a number, true or false")
        }
    }

    /// The environment of this process.
    static var environment: [String: String] {
        var result: [String: String] = [:]
        var pointer = environ
        while let entry = pointer.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                result[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            pointer += 1
        }
        return result
    }

    private static func unique(_ groups: [SettingGroup]) -> [Setting<Configuration>] {
        var names: Set<String> = []
        return groups.flatMap(\.settings).filter { names.insert($0.name).inserted }
    }
}

extension Configuration {
    /// The container's environment that a command is for.
    var target: ContainerEnvironment {
        get throws {
            let name = targeting.container.isEmpty ? containers[0] : targeting.container
            do {
                return ContainerEnvironment(
                    container: try ContainerIdentifier(name),
                    environment: CloudEnvironment(rawValue: targeting.environment) ?? .development)
            } catch {
                throw SettingsError("the setting 'container': \(error.reason)")
            }
        }
    }

    /// Every container's environments, as far as they are served.
    var scopes: [ContainerEnvironment] {
        containers.flatMap { name in
            CloudEnvironment.allCases.filter { environments.contains($0.rawValue) }.map {
                ContainerEnvironment(container: ContainerIdentifier(trusted: name), environment: $0)
            }
        }
    }
}
