import JSON
import Testing

@Suite("5.1 Transport") struct TransportTests {
    @Test(
        "5.1 an unknown path is 404 and says that there is no handler",
        arguments: [
            "/database/1/CONTAINER/ENVIRONMENT/public/records/nothing", "/database/1/CONTAINER/ENVIRONMENT/public",
            "/database/2/CONTAINER/ENVIRONMENT/public/records/query",
            "/database/1/CONTAINER/ENVIRONMENT/Public/records/query", "/nothing",
        ])
    func unknownPaths(path: String) async throws {
        let service = try await ConformanceService.shared()
        let path = path.split(separator: "/").map { part -> String in
            switch part {
            case "CONTAINER": service.container
            case "ENVIRONMENT": service.environment
            default: String(part)
            }
        }.joined(separator: "/")
        let reply = try await service.anonymous().post(path: "/" + path, [:])
        expect(reply, 404, "NOT_FOUND")
        #expect(reply.json["reason"]?.string?.contains("could not find handler") == true)
    }

    @Test(
        "5.2 another method is 405",
        arguments: [
            ("GET", "records/query"), ("PUT", "records/modify"), ("PUT", "zones/list"), ("DELETE", "zones/modify"),
        ])
    func methods(method: String, endpoint: String) async throws {
        let user = try await ConformanceService.shared().user()
        let target = user.target(user.service.path(endpoint, in: "private"))
        let reply = try await user.service.send(method, target, method == "GET" ? nil : Array("{}".utf8), headers: [])
        #expect(reply.status == 405 && reply.code == "BAD_REQUEST", "\(reply)")
        #expect(reply.header("Allow")?.isEmpty == false)
    }

    @Test("5.1 bodies are JSON whatever their Content-Type", arguments: ["application/json", "text/plain", nil])
    func contentTypes(type: String?) async throws {
        let user = try await ConformanceService.shared().user()
        let target = user.target(user.service.path("records/lookup", in: "private"))
        let reply = try await user.service.send(
            "POST", target, Array(#"{"records": []}"#.utf8), headers: type.map { [("Content-Type", $0)] } ?? [])
        #expect(reply.status == 200 && reply.json == ["records": []], "\(reply)")
        #expect(reply.header("Content-Type")?.hasPrefix("application/json") == true)
    }

    @Test("5.1 unknown query items and members of a body are ignored")
    func unknownMembers() async throws {
        let user = try await ConformanceService.shared().user()
        let target = user.target(user.service.path("records/lookup", in: "private")) + "&remapEnums=true&x"
        let reply = try await user.service.send(
            "POST", target, Array(#"{"records": [], "more": {}}"#.utf8), headers: [])
        #expect(reply.status == 200, "\(reply)")
    }

    @Test("5.1 answers have X-Apple-Request-UUID and a new web auth token")
    func headers() async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.get("zones/list")
        #expect(reply.header("X-Apple-Request-UUID")?.utf8.count == 36)
        var next = user
        next.webAuthToken = reply.header("X-Apple-CloudKit-Web-Auth-Token")
        #expect(next.webAuthToken?.isEmpty == false)
        #expect(try await next.get("zones/list").status == 200)
    }

    @Test("5.1 another environment or container is refused")
    func scopes() async throws {
        let user = try await ConformanceService.shared().user()
        let path = "/database/1/\(user.service.container)/staging/private/zones/list"
        let reply = try await user.service.send("GET", user.target(path), nil, headers: [])
        #expect(reply.status == 400 && reply.code == "BAD_REQUEST", "\(reply)")
        let other = "/database/1/iCloud.nobody.\(Unique.text())/\(user.service.environment)/private/zones/list"
        #expect(try await user.service.send("GET", user.target(other), nil, headers: []).status == 404)
    }

    @Test("the contract is served at /openapi.yaml")
    func contract() async throws {
        let service = try await ConformanceService.shared()
        let reply = try await service.send("GET", "/openapi.yaml", nil, headers: [])
        #expect(reply.status == 200 && reply.body.starts(with: Array("# The contract".utf8)))
    }
}
