import CloudModel
import HTTPServer

/// The style and the scripts of pages, for anybody.
struct PageFileMount: Mount {
    var routes: [Route] {
        [
            Route(
                "pages", title: "a file of pages", path: "/pages/{file}",
                work: .now { _, visit in
                    guard let file = PageFiles.files[visit["file"] ?? ""] else {
                        throw CloudError(.notFound, "there is no such file of pages")
                    }
                    return HTTPResponse(
                        status: 200,
                        headers: [
                            ("Content-Type", file.type), ("Cache-Control", "max-age=3600"),
                            ("X-Content-Type-Options", "nosniff"),
                        ], body: .bytes(Array(file.text.utf8)))
                })
        ]
    }
}
