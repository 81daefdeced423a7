import CloudModel
import Cryptography
import FileSystem
import RecordService
import RecordStore
import Settings
import Timing
import Waiting

extension Command {
    static let secretsReseal = Command(
        name: "secrets reseal",
        usage: "secrets reseal [--remove-former] --data DIR [--containers NAME,…] [--environments NAME,…]",
        summary:
            "seals encrypted fields under the current identifier key, in steps and beside the running service; --remove-former then removes the former keys",
        settings: [.common, .containers, .store, .resealing]
    ) { reading in
        let configuration = reading.configuration
        let removes = configuration.resealing.removesFormer
        let path = Backends.keyFile(configuration)
        let ring = try KeyRing.load(file: path)
        let scopes = try resealed(configuration)
        guard ring.identifierKeys.count > 1 else {
            Output.line("the ring has one identifier key; 'fanfare secrets rotate --identifier-key' makes another")
            return ExitCode.done
        }
        // A running service reads the ring each second, and seals under the former key until then.
        try await Time.sleep(for: followingPause)
        var left = 0
        for scope in scopes { left += try await reseal(scope, configuration, ring) }
        guard left == 0 else {
            Output.error("\(left) values are left that no key opens, or that were sealed meanwhile; no key is removed")
            return ExitCode.differences
        }
        guard removes else {
            Output.line("every encrypted field is under the current key; --remove-former removes the others")
            return ExitCode.done
        }
        guard try KeyRing.load(file: path) == ring else {
            Output.error("the ring was changed meanwhile: run this again")
            return ExitCode.failed
        }
        var shorter = ring
        shorter.removeFormerIdentifierKeys()
        try shorter.save(file: path)
        Output.line("every encrypted field is under the current key, and the former keys are removed")
        return ExitCode.done
    }

    /// The time after which every process that follows the ring has read it.
    private static let followingPause = Duration.seconds(5)

    /// The environments whose stores are in the data folder. All of its stores have to be named, as the ring is theirs.
    private static func resealed(_ configuration: Configuration) throws -> [ContainerEnvironment] {
        let scopes = configuration.scopes.filter { Files.exists("\(configuration.data)/\($0).sqlite") }
        guard !scopes.isEmpty else {
            throw SettingsError("there is no store in '\(configuration.data)'; give the service's folder with --data")
        }
        let known = Set(scopes.map { "\($0).sqlite" })
        let endings = CloudEnvironment.allCases.map { ".\($0.rawValue).sqlite" }
        let others = Files.files(below: configuration.data).filter { file in
            !file.contains("/") && endings.contains { file.hasSuffix($0) } && !known.contains(file)
        }
        guard others.isEmpty else {
            throw SettingsError(
                "'\(configuration.data)' has \(others.joined(separator: ", ")), too: name all with --containers and --environments, as their fields are sealed by this ring"
            )
        }
        return scopes
    }

    /// Seals a store's fields in two passes: the second one finds records that were saved during the first.
    /// - Returns: values that are not under the current key.
    private static func reseal(
        _ scope: ContainerEnvironment, _ configuration: Configuration, _ ring: KeyRing
    ) async throws -> Int {
        let store = try Backends.store(configuration, scope, role: .visitor)
        let service = RecordService(layout: Backends.layout(configuration, scope), store: store, keys: ring)
        return try await Task.closing({ await store.close() }) {
            let first = try await service.resealFields {
                Output.progress("\(scope): \($0.records) records, \($0.resealed) sealed again")
            }
            let second = first.resealed == 0 ? first : try await service.resealFields()
            Output.progress("")
            // The former seals are overwritten in the store's files, too.
            if first.resealed > 0, try await !store.eraseDeleted() {
                Output.error("\(scope): readers were in the way; former seals stay in the write-ahead log for a while")
            }
            Output.line(
                "\(scope): \(first.records) records, \(first.resealed + (first.resealed == 0 ? 0 : second.resealed)) sealed again, \(second.unreadable) values that no key opens"
            )
            return second.resealed + second.unreadable
        }
    }
}

extension Configuration {
    /// `secrets rotate`.
    struct Rotating: Sendable {
        var isOfIdentifiers = false
    }

    /// `secrets reseal`.
    struct Resealing: Sendable {
        var removesFormer = false
    }
}

extension SettingGroup {
    static let rotationSettings: [Setting<Configuration>] = [
        Setting(
            "identifier-key", \.rotating.isOfIdentifiers,
            "a new key for identifiers and encrypted fields instead; then 'secrets reseal'")
    ]

    static let resealingSettings: [Setting<Configuration>] = [
        Setting(
            "remove-former", \.resealing.removesFormer,
            "removes the former identifier keys once nothing in these stores needs them")
    ]
}
