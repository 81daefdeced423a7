// Linked into every target: a misspelt feature in Package.swift is silently off, and this makes it loud.
#if !hasFeature(ExistentialAny)
    #error("Package.swift does not turn on ExistentialAny for this target")
#endif
#if !hasFeature(InternalImportsByDefault)
    #error("Package.swift does not turn on InternalImportsByDefault for this target")
#endif
#if !hasFeature(MemberImportVisibility)
    #error("Package.swift does not turn on MemberImportVisibility for this target")
#endif
#if !hasFeature(NonisolatedNonsendingByDefault)
    #error("Package.swift does not turn on NonisolatedNonsendingByDefault for this target")
#endif
#if !hasFeature(InferIsolatedConformances)
    #error("Package.swift does not turn on InferIsolatedConformances for this target")
#endif
