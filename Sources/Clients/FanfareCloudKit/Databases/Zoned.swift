/// Things in the order in which they came, apart by zone, at most so many together: a request is for one zone.
struct Zoned<Element> {
    private(set) var batches: [(zone: CKRecordZone.ID, elements: [Element])] = []

    /// Divides things by zone.
    /// - Parameter limit: the most in one request.
    init(_ elements: [Element], limit: Int, by zone: (Element) -> CKRecordZone.ID) {
        var places: [CKRecordZone.ID: Int] = [:]
        for element in elements {
            let id = zone(element)
            if let place = places[id], batches[place].elements.count < limit {
                batches[place].elements.append(element)
            } else {
                places[id] = batches.count
                batches.append((id, [element]))
            }
        }
    }
}
