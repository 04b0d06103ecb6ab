import type { PageRequest } from './portal-page-request.ts'

/** Sign-in of applications through the portal, as its pages know it. */
export interface ApplicationSignIn {
  /** Returns true for paths of the portal's host at which it answers. */
  answers(path: string): boolean
  answer(page: PageRequest): Promise<void>
  /** Returns the application of a sign-in under way, and where it goes on; undefined when it is over. */
  findSignIn(id: string): Promise<{ readonly name: string; readonly path: string } | undefined>
  /** Returns the name of an application that names a group of users; undefined when none does. */
  namingGroup(group: string): Promise<string | undefined>
}

/** Joins sign-ins of several kinds: the first that answers a path, or knows a sign-in, does. */
export function joinApplications(all: readonly ApplicationSignIn[]): ApplicationSignIn {
  return {
    answers: (path) => all.some((one) => one.answers(path)),
    async answer(page) {
      await all.find((one) => one.answers(page.url.pathname))?.answer(page)
    },
    async findSignIn(id) {
      for (const one of all) {
        const found = await one.findSignIn(id)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}
