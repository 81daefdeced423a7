import CloudModel

/// Addresses of uploads that were used of late: what an address cannot be used for any more is refused before its body is
/// read. The store remembers them for good; this is for who cannot wait for it.
struct UsedUploads {
    /// Two generations, so that forgetting the older costs nothing: an address ends before both are gone.
    private var recent: Set<String> = []
    private var older: Set<String> = []
    private var since = Timestamp(milliseconds: 0)

    /// Remembers an address for as long as it would be good, unless very many others come.
    mutating func note(_ nonce: String, at time: Timestamp) {
        let age = time.milliseconds - since.milliseconds
        if age >= Int64(Limits.assetUploadSeconds) * 1000 || recent.count >= Limits.usedUploadsMax {
            (older, recent, since) = (recent, [], time)
        }
        recent.insert(nonce)
    }

    /// The number of addresses that are remembered.
    var count: Int { recent.count + older.count }

    /// Returns true if an address was used.
    func holds(_ nonce: String) -> Bool { recent.contains(nonce) || older.contains(nonce) }
}
