extension Repository {
    /// The folders that the rules of form (`FormTests`, `SharedStateTests`) hold.
    static let heldFolders = ["Sources"]

    /// Files written by hand in the held folders.
    static let heldSources = sources.filter { file in
        !file.isGenerated && heldFolders.contains { file.path.hasPrefix($0 + "/") }
    }
}
