/// The numbers of the rows of `entries`: a partition's number in the upper bits, an offset in the lower ones.
struct EntryRows {
    /// The bits of an offset: 2⁴⁰ entries of a partition, which leaves 2²³ partitions.
    static let offsetBits: Int64 = 40
    /// Partitions have lower numbers: the row behind the last one of each is a number, too.
    static let partitionsEnd: Int64 = (1 << (63 - offsetBits)) - 1

    /// SQL of the offset after the last entry of the partition `p`; 0 without entries.
    static let endOfPartition = """
        coalesce((
            SELECT (id & \((1 << offsetBits) - 1)) + 1 FROM entries
            WHERE id >= p.id << \(offsetBits) AND id < (p.id + 1) << \(offsetBits) ORDER BY id DESC LIMIT 1), 0)
        """

    /// The row of the partition's offset 0.
    let first: Int64
    /// The row after the partition's last one.
    let end: Int64

    init(of partition: Int64) {
        first = partition << Self.offsetBits
        end = (partition + 1) << Self.offsetBits
    }

    /// The row of an offset; negative ones count as 0.
    func row(at offset: Int64) -> Int64 { min(first + max(0, offset), end) }

    /// The offset of a row.
    static func offset(of row: Int64) -> Int64 { row & ((1 << offsetBits) - 1) }
}
