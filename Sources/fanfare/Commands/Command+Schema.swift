import CloudModel
import Console
import FileSystem
import JSON
import RecordService
import RecordStore
import Settings
import Waiting

extension Command {
    static let schemaExport = Command(
        name: "schema export", usage: "schema export --data DIR [--container NAME] [--environment NAME] [--json]",
        summary: "prints the schema in CloudKit's schema language, or with --json types, fields, indexes and rights",
        settings: administrating
    ) { reading in
        let service = try Self.service(reading.configuration, try reading.configuration.target)
        let schema = try await Task.closing({ await service.store.close() }) { try await service.schema() }
        if reading.configuration.printing.isJSON {
            Output.line(String(decoding: try JSONValue.object(SchemaReport.json(schema)).serialized(), as: UTF8.self))
        } else {
            Output.text(SchemaText.write(schema))
        }
        return ExitCode.done
    }

    static let schemaImport = Command(
        name: "schema import",
        usage: "schema import FILE.ckdb --data DIR [--container NAME] [--environment NAME] [--apply]",
        summary: "shows what a file in CloudKit's schema language has and the schema lacks, and with --apply adds it",
        settings: [.common, .containers, .store, .target, .promoting], takesWords: true
    ) { reading in
        let path = try StoreCommand.operand(reading, "one file to import, as cktool export-schema writes it")
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        return try await StoreCommand.run(reading) { scope in
            let present = try await scope.records.schema()
            let difference = SchemaDifference(promoting: try SchemaText.read(text, over: present), over: present)
            return try await show(
                difference, to: scope.records, named: "the schema", isApplied: reading.configuration.promoting.isApplied
            )
        }
    }

    static let schemaPromote = Command(
        name: "schema promote",
        usage: "schema promote [TYPE|TYPE.FIELD…] --data DIR [--from FILE.ckdb] [--container NAME] [--apply]",
        summary:
            "shows what development's schema, or the parts that are named, have and production's lacks, and with --apply adds it; --from takes development's from a file, where its store is elsewhere",
        settings: [.common, .containers, .store, .target, .promoting, .promotingFrom], takesWords: true
    ) { reading in
        let configuration = reading.configuration
        let production = try Self.service(configuration, try Self.scope(configuration, .production))
        let code: Int32
        do {
            let present = try await production.schema()
            let names = try reading.operands.map { name throws(CloudError) in try SchemaPartName(name) }
            let wanted = try await Self.developed(configuration, over: present).parts(names, over: present)
            code = try await show(
                SchemaDifference(promoting: wanted, over: present), to: production, named: "production",
                isApplied: configuration.promoting.isApplied)
        } catch let error as CloudError {
            Output.error(error.reason)
            code = ExitCode.failed
        } catch {
            await production.store.close()
            throw error
        }
        await production.store.close()
        return code
    }

    private static func scope(
        _ configuration: Configuration, _ environment: CloudEnvironment
    ) throws -> ContainerEnvironment {
        ContainerEnvironment(container: try configuration.target.container, environment: environment)
    }

    /// Development's schema: of the file that `schema export` wrote beside its store, or of the store in the data
    /// folder.
    private static func developed(_ configuration: Configuration, over present: Schema) async throws -> Schema {
        if !configuration.promoting.from.isEmpty {
            let text = String(decoding: try Files.read(configuration.promoting.from), as: UTF8.self)
            return try SchemaText.read(text, over: present)
        }
        let scope = try scope(configuration, .development)
        guard Files.exists("\(configuration.data)/\(scope).sqlite") else {
            throw SettingsError(
                "development's store is not in '\(configuration.data)': run 'fanfare schema export' beside it, and give its output with --from"
            )
        }
        let development = try service(configuration, scope)
        return try await Task.closing({ await development.store.close() }) { try await development.schema() }
    }

    /// Prints a difference, and applies it if that is wanted.
    private static func show(
        _ difference: SchemaDifference, to service: RecordService, named name: String, isApplied: Bool
    ) async throws -> Int32 {
        for change in difference.changes { Output.line("\(change)") }
        for conflict in difference.conflicts { Output.error(conflict) }
        guard difference.conflicts.isEmpty else { return ExitCode.failed }
        guard !difference.changes.isEmpty else {
            Output.line("\(name) knows all of that already")
            return ExitCode.done
        }
        guard isApplied else {
            Output.line("nothing was changed; --apply adds this to \(name)")
            return ExitCode.differences
        }
        try await service.apply(difference)
        Output.line("\(name) knows it now")
        return ExitCode.done
    }

    static let schemaReset = Command(
        name: "schema reset", usage: "schema reset --data DIR [--container NAME] [--yes] [--json]",
        summary:
            "shows which types no record of development has, and with --yes removes them and adds what production's schema has; records stay",
        settings: administrating + [.confirming]
    ) { reading in
        let configuration = reading.configuration
        let production = try scope(configuration, .production)
        var wanted = Schema()
        if Files.exists("\(configuration.data)/\(production).sqlite") {
            let service = try service(configuration, production)
            wanted = try await Task.closing({ await service.store.close() }) { try await service.schema() }
        }
        return try await StoreCommand.run(reading) { [wanted] served in
            let isApplied = configuration.repairing.isConfirmed
            let reset = try await served.records.resetSchema(to: wanted, isApplied: isApplied)
            guard !configuration.printing.isJSON else {
                let json = JSONValue.object(SchemaReport.json(reset))
                Output.line(String(decoding: try json.serialized(), as: UTF8.self))
                return ExitCode.done
            }
            for type in reset.types.removed { Output.line("\(type): no record has it") }
            for type in reset.types.emptied { Output.line("\(type): its fields; its records were deleted lately") }
            for type in reset.types.kept { Output.line("\(type): stays, as records have it") }
            for change in reset.difference.changes { Output.line("from production: \(change)") }
            if !isApplied { Output.line("nothing was changed; --yes does this") }
            return ExitCode.done
        }
    }

    static let schemaGrant = Command(
        name: "schema grant",
        usage:
            "schema grant --data DIR --type TYPE --right READ|CREATE|WRITE --role _world|_icloud|_creator [--revoke]",
        summary: "lets a role of the public database do something with records of a type, or no longer",
        settings: [.common, .containers, .store, .target, .granting]
    ) { reading in
        let configuration = reading.configuration
        guard let right = TypePermissions.Right(name: configuration.granting.right) else {
            throw SettingsError("--right is READ, CREATE or WRITE, not '\(configuration.granting.right)'")
        }
        guard let role = TypePermissions.Role(name: configuration.granting.role) else {
            throw SettingsError("--role is _world, _icloud or _creator, not '\(configuration.granting.role)'")
        }
        let type: RecordType
        do throws(CloudError) {
            type = try RecordType(configuration.granting.type)
        } catch {
            throw SettingsError("--type: \(error.reason)")
        }
        let service = try Self.service(configuration, try configuration.target)
        try await service.setRight(right, of: role, on: type, to: !configuration.granting.isRevoked)
        let permissions = try await service.schema().types[type]?.permissions ?? .standard
        for line in SchemaText.grants(permissions) { Output.line("\(type): \(line)") }
        await service.store.close()
        return ExitCode.done
    }

    /// A service over the store of an environment, beside the process that owns it.
    private static func service(
        _ configuration: Configuration, _ scope: ContainerEnvironment
    ) throws -> RecordService {
        RecordService(
            layout: Backends.layout(configuration, scope),
            store: try Backends.store(configuration, scope, role: .visitor))
    }
}

extension Configuration {
    /// `schema promote` and `schema import`.
    struct Promoting: Sendable {
        var isApplied = false
        var from = ""
    }

    /// `schema grant`.
    struct Granting: Sendable {
        var type = ""
        var right = ""
        var role = ""
        var isRevoked = false
    }
}

extension SettingGroup {
    static let promotionSettings: [Setting<Configuration>] = [
        Setting("apply", \.promoting.isApplied, "make the change; without it the difference is only shown")
    ]

    static let promotionSourceSettings: [Setting<Configuration>] = [
        Setting("from", \.promoting.from, "a file that 'schema export' wrote beside development's store; or /dev/stdin")
    ]

    static let grantSettings: [Setting<Configuration>] = [
        Setting("type", \.granting.type, "the record type"),
        Setting("right", \.granting.right, "READ, CREATE or WRITE"),
        Setting("role", \.granting.role, "_world (anybody with an API token), _icloud (signed-in users) or _creator"),
        Setting("revoke", \.granting.isRevoked, "take the right back instead"),
    ]
}
