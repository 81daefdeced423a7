import CloudModel
import Cryptography
import JSON
import RecordService
import RecordStore
import TestSupport
import Testing

@testable import Console
@testable import WebAPI

/// What operators do with addresses of pushes and with the key ring.
@Suite struct OperatorCourierTests {
    /// Signs alice in on a device with an address of APNs and one of a webhook, and on a web courier.
    private static func devices(_ bench: ConsoleBench) async throws -> String {
        let (query, scope) = ("?ckAPIToken=\(bench.apiToken)", bench.scopePath)
        let signIn = try await bench.send("POST", "/auth/1/\(scope)/signin\(query)", ["user": "alice"])
        let user = [("Authorization", "Bearer \(try #require(signIn.json["ckWebAuthToken"]?.string))")]
        let token = String(repeating: "0aF1", count: 16)
        let requests: [(String, JSONValue)] = [
            ("devices/register", ["deviceID": "phone"]),
            (
                "devices/push",
                [
                    "deviceID": "phone",
                    "apns": ["token": .string(token), "environment": "development", "topic": "com.example.a"],
                ]
            ),
            ("devices/push", ["deviceID": "phone", "webhook": ["url": "https://hooks.example.com/a"]]),
            ("tokens/create", ["apnsEnvironment": "development", "clientId": "tab"]),
        ]
        for (name, body) in requests {
            let answer = try await bench.send("POST", "/device/1/\(scope)/\(name)\(query)", body, headers: user)
            #expect(answer.status == 200, "\(name): \(answer.text)")
        }
        return try #require(signIn.json["userRecordName"]?.string)
    }

    private static func kinds(_ bench: ConsoleBench, _ body: JSONValue = [:]) async throws -> [String?] {
        try await bench.ask("couriers/list", body).json["couriers"]?.array?.map { $0["kind"]?.string } ?? []
    }

    @Test("addresses of pushes and web couriers are listed without what they are, and removed one by one")
    func couriers() async throws {
        try await ConsoleBench.run { bench in
            let alice = try await Self.devices(bench)
            let list = try await bench.ask("couriers/list")
            #expect(try await Self.kinds(bench) == ["apns", "webhook", "webcourier"])
            #expect(try await Self.kinds(bench, ["user": "alice"]) == ["apns", "webhook", "webcourier"])
            #expect(list.json["couriers"]?.array?.allSatisfy { $0["userRecordName"]?.string == alice } == true)
            #expect(!list.text.lowercased().contains("0af1") && !list.text.contains("hooks"))
            let courier = try #require(list.json["couriers"]?[2]?["deviceID"])
            let removals: [(JSONValue, JSONValue, left: [String])] = [
                ("phone", "apns", ["webhook", "webcourier"]), (courier, "webcourier", ["webhook"]),
                ("phone", "webhook", []),
            ]
            for (device, kind, left) in removals {
                let seen = try await bench.system.service.store.read { try $0.device(DeviceID("phone"))?.lastSeen }
                let body: JSONValue = ["deviceID": device, "kind": kind]
                let answer = try await bench.ask("couriers/remove", body)
                #expect(answer.json["done"] == "remove" && answer.json["userRecordName"]?.string == alice)
                #expect(try await Self.kinds(bench) == left)
                #expect(try await bench.actions().first?.outcome == "done")
                #expect(try await bench.ask("couriers/remove", body).code == "NOT_FOUND", "\(kind) is gone")
                #expect(try await bench.actions().first?.outcome == "NOT_FOUND")
                let after = try await bench.system.service.store.read { try $0.device(DeviceID("phone"))?.lastSeen }
                #expect(after == seen, "an operator's act is no sign of life of a device")
            }
            #expect(try await bench.ask("devices/list").json["devices"]?.array?.map { $0["deviceID"] } == ["phone"])
        }
    }

    @Test("the last answer is the later one of the last success and the last failure")
    func last() async throws {
        try await ConsoleBench.run { bench in
            _ = try await Self.devices(bench)
            for (success, failure, outcome) in [(5, 9, "failed"), (9, 5, "sent"), (7, 7, "sent")] {
                try await bench.system.service.store.write { transaction in
                    var stored = try #require(try transaction.pushAddresses(of: DeviceID("phone")).first)
                    stored.lastSuccess = Timestamp(milliseconds: Int64(success))
                    stored.lastSuccessStatus = 200
                    stored.lastFailure = .init(
                        time: Timestamp(milliseconds: Int64(failure)), status: 400, reason: "BadDeviceToken")
                    try transaction.save(stored)
                }
                let listed = try await bench.ask("couriers/list").json["couriers"]?[0]
                let last = listed?["last"]
                #expect(last?["outcome"]?.string == outcome && last?["time"] == .integer(Int64(max(success, failure))))
                #expect((last?["reason"] == "BadDeviceToken") == (outcome == "failed"))
                #expect(last?["status"]?.integer == (outcome == "failed" ? 400 : 200))
                #expect(listed?["lastFailure"]?["status"] == 400)
            }
            try await bench.system.service.store.write { transaction in
                var stored = try #require(try transaction.pushAddresses(of: DeviceID("phone")).first)
                stored.lastFailure = .init(time: Timestamp(milliseconds: 8), reason: "time-out")
                try transaction.save(stored)
            }
            let silent = try await bench.ask("couriers/list").json["couriers"]?[0]?["last"]
            #expect(silent?["reason"] == "time-out" && silent?["status"] == nil)
        }
    }

    @Test("a test goes to all addresses of a device or to that of a kind, and to nobody else")
    func test() async throws {
        try await ConsoleBench.run { bench in
            _ = try await Self.devices(bench)
            func tested(_ body: JSONValue) async throws -> [String?]? {
                try await bench.ask("couriers/test", body).json["results"]?.array?.map { $0["kind"]?.string }
            }
            #expect(try await tested(["deviceID": "phone"]) == ["apns", "webhook"])
            #expect(try await tested(["deviceID": "phone", "kind": "webhook"]) == ["webhook"])
            #expect(try await bench.actions().first?.act == "couriers/test")
            for (body, code) in [
                (["deviceID": "phone", "kind": "webPush"], "NOT_FOUND"), (["deviceID": "tablet"], "NOT_FOUND"),
                (["deviceID": "phone", "kind": "pigeon"], "BAD_REQUEST"), ([:], "BAD_REQUEST"),
                (["deviceID": ""], "BAD_REQUEST"),
            ] as [(JSONValue, String)] {
                #expect(try await bench.ask("couriers/test", body).code == code, "\(body)")
            }
            for kind in ["pigeon", "web", "", "APNS"] {
                let answer = try await bench.ask("couriers/remove", ["deviceID": "phone", "kind": .string(kind)])
                #expect(answer.code == "BAD_REQUEST", "\(kind)")
            }
            let addressed = try await bench.ask("couriers/remove", ["deviceID": "phone", "kind": "webcourier"])
            #expect(addressed.code == "NOT_FOUND", "a device with addresses is no web courier")
            #expect(try await Self.kinds(bench) == ["apns", "webhook", "webcourier"])
        }
    }

    @Test("a rotated key seals at once, an older one is removed, the current one and unknown ones are not")
    func secrets() async throws {
        try await ConsoleBench.run { bench in
            let file = bench.folder.path("token.keys")
            let first = try KeyRing.load(file: file).currentName
            let list = try await bench.ask("secrets/list").json["secrets"]
            #expect(list == [["name": .string(first), "isCurrent": true]])
            let rotated = try await bench.ask("secrets/rotate")
            let current = try KeyRing.load(file: file).currentName
            #expect(current != first && rotated.json["secrets"]?.array?.count == 2)
            #expect(rotated.json["formerIdentifierKeys"] == 0)
            #expect(try await bench.ask("secrets/remove", ["name": .string(current)]).code == "BAD_REQUEST")
            #expect(try await bench.ask("secrets/remove", ["name": "../x"]).code == "NOT_FOUND")
            #expect(try await bench.ask("secrets/remove").code == "BAD_REQUEST")
            let removed = try await bench.ask("secrets/remove", ["name": .string(first)])
            #expect(removed.json["secrets"] == [["name": .string(current), "isCurrent": true]])
            #expect(try KeyRing.load(file: file).names == [current])
            let ring = try String(decoding: KeyRing.load(file: file).serialized(), as: UTF8.self)
            let secrets = ring.split(whereSeparator: \.isWhitespace).filter { $0.count > 40 }
            #expect(secrets.count == 2)
            for action in try await bench.actions() {
                #expect(!secrets.contains { action.subject.contains($0) })
            }
        }
    }

    @Test("a ring takes no more keys than its limit, and its process reads a new one at once")
    func fullRing() async throws {
        let file = TemporaryFolder()
        let path = file.path("token.keys")
        try KeyRing.generate().save(file: path)
        let following = try KeyRing.following(file: path)
        let secrets = SecretsFile(path, following: following)
        for count in 2...Limits.keyRingKeysMax {
            _ = try secrets.rotate()
            #expect(following.names.count == count)
        }
        await expect(code: .badRequest) { try secrets.rotate() }
        #expect(following.names.count == Limits.keyRingKeysMax)
        let former = try #require(following.names.first { $0 != following.currentName })
        _ = try secrets.remove(former)
        #expect(!following.names.contains(former))
    }
}
