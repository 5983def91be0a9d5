import type { Plugin } from 'vite'

/**
 * Collects the ids of the modules that learners do not load: all that the entry does not reach, by static or dynamic
 * imports, except through a page that matches `pages`. The set is complete before the chunks are formed.
 */
export function collectStaffModules(pages: RegExp, staff: Set<string>): Plugin {
  return {
    name: 'staff-modules',
    apply: 'build',
    buildEnd() {
      const all = [...this.getModuleIds()]
      const learners = new Set(all.filter((id) => this.getModuleInfo(id)?.isEntry))
      for (const id of learners) {
        const module = this.getModuleInfo(id)
        const imports = [...(module?.importedIds ?? []), ...(module?.dynamicallyImportedIds ?? [])]
        for (const imported of imports) if (!pages.test(imported)) learners.add(imported)
      }
      for (const id of all) if (!learners.has(id)) staff.add(id)
    },
  }
}
