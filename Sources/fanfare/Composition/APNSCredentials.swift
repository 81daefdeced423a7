import CloudModel
import Cryptography
import FileSystem
import JSON
import Push
import RecordService
import Settings

/// The credentials that APNs is shown for a container's environment.
struct APNSCredentials: Hashable {
    /// The proof of whose pushes they are.
    enum Proof: Hashable {
        /// The `.p8` file of a key, its ID and the team's.
        case key(file: String, id: String, team: String)
        /// A certificate and its key as PEM files; the key may be in the same file.
        case certificate(file: String, keyFile: String?)
    }

    var proof: Proof
    /// The bundle ID for devices that name none.
    var topic: String?

    /// The credentials of each scope that has some.
    /// - Throws: `SettingsError`, `FileError`.
    static func all(_ configuration: Configuration) throws -> [ContainerEnvironment: APNSCredentials] {
        let settings = configuration.push
        let names = [settings.apnsKeyFile, settings.apnsKeyID, settings.apnsTeamID]
        guard names.allSatisfy(\.isEmpty) || !names.contains(where: \.isEmpty) else {
            throw SettingsError("--apns-key-file, --apns-key-id and --apns-team-id go together")
        }
        var all: [ContainerEnvironment: APNSCredentials] = [:]
        if !settings.apnsKeyFile.isEmpty {
            let own = APNSCredentials(
                proof: .key(file: settings.apnsKeyFile, id: settings.apnsKeyID, team: settings.apnsTeamID),
                topic: settings.apnsTopic.isEmpty ? nil : settings.apnsTopic)
            for scope in configuration.scopes { all[scope] = own }
        }
        if !settings.apnsTable.isEmpty {
            all.merge(try table(settings.apnsTable)) { $1 }
        }
        return all
    }

    /// Reads a table: by container and environment an object with keyFile, keyID, teamID, or certificateFile and
    /// certificateKeyFile, and topic.
    static func table(_ path: String) throws -> [ContainerEnvironment: APNSCredentials] {
        let bytes = try Files.read(path)
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: bytes) } catch {
            throw SettingsError("\(path) is not valid JSON: \(error)")
        }
        func wrong(_ reason: String) -> SettingsError { SettingsError("\(path): \(reason)") }
        guard let containers = json.object else { throw wrong("has an object of containers") }
        var all: [ContainerEnvironment: APNSCredentials] = [:]
        for (name, value) in containers {
            guard let environments = value.object else { throw wrong("'\(name)' has an object of environments") }
            for (environment, value) in environments {
                guard let environment = CloudEnvironment(rawValue: environment), let members = value.object else {
                    throw wrong("'\(name)' has development and production, each an object")
                }
                let known = ["keyFile", "keyID", "teamID", "certificateFile", "certificateKeyFile", "topic"]
                if let other = members.first(where: { !known.contains($0.key) || $0.value.string?.isEmpty != false }) {
                    throw wrong(
                        "'\(other.key)' of '\(name)' is unknown or no text; there are \(known.joined(separator: ", "))")
                }
                guard let proof = proof({ members[$0]?.string }) else {
                    throw wrong("'\(name)' needs keyFile, keyID and teamID, or certificateFile")
                }
                do throws(CloudError) {
                    let scope = ContainerEnvironment(container: try ContainerIdentifier(name), environment: environment)
                    all[scope] = APNSCredentials(proof: proof, topic: members["topic"]?.string)
                } catch {
                    throw wrong(error.reason)
                }
            }
        }
        return all
    }

    private static func proof(_ member: (String) -> String?) -> Proof? {
        switch (member("keyFile"), member("certificateFile")) {
        case (let file?, nil):
            guard let id = member("keyID"), let team = member("teamID"), member("certificateKeyFile") == nil else {
                return nil
            }
            return .key(file: file, id: id, team: team)
        case (nil, let file?):
            guard member("keyID") == nil, member("teamID") == nil else { return nil }
            return .certificate(file: file, keyFile: member("certificateKeyFile"))
        default: return nil
        }
    }
}

extension APNSCredentials.Proof {
    /// The tokens of a key; nil where a certificate takes their place.
    func tokens() throws -> APNSTokens? {
        guard case .key(let file, let id, let team) = self else { return nil }
        let text = String(decoding: try Files.read(file), as: UTF8.self)
        do throws(P256KeyError) {
            let key = try SigningKey(pem: text)
            return APNSTokens(key: key, keyID: id, teamID: team, now: Timestamp.wallClock)
        } catch {
            throw SettingsError("\(file) is no key of Apple's (.p8): \(error)")
        }
    }
}
