extension Repository {
    /// The folders that the rules of form (`FormTests`, `SharedStateTests`) hold.
    static let heldFolders = [
        "Sources/Backends/KafkaLog", "Sources/Backends/SQLiteLog", "Sources/Core/CloudModel",
        "Sources/Libraries/Compression", "Sources/Libraries/CrashMarks", "Sources/Libraries/Cryptography",
        "Sources/Libraries/HTTPClient", "Sources/Libraries/HTTPServer", "Sources/Libraries/JSON",
        "Sources/Libraries/KafkaClient", "Sources/Libraries/SQLite", "Sources/Libraries/Settings",
        "Sources/Libraries/Telemetry", "Sources/fanfare",
    ]

    /// Files written by hand in the held folders.
    static let heldSources = sources.filter { file in
        !file.isGenerated && heldFolders.contains { file.path.hasPrefix($0 + "/") }
    }
}
