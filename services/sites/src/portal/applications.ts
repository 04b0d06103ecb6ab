import type { PortalUser } from './decide.ts'
import type { PageRequest } from './portal-page-request.ts'

/** Sign-in of applications through the portal, as its pages know it. */
export interface ApplicationSignIn {
  /** Returns true for paths of the portal's host at which it answers. */
  answers(path: string): boolean
  answer(page: PageRequest): Promise<void>
  /**
   * Returns the application of a sign-in under way at this address of the portal, and where it goes on; undefined when it is over.
   */
  findSignIn(id: string, authority: string): Promise<{ readonly name: string; readonly path: string } | undefined>
  /** Returns the name of an application that names a group of users; undefined when none does. */
  namingGroup(group: string): Promise<string | undefined>
  /** Says who may sign in to the application at an origin, and whether the user is one of them; undefined without one there. */
  explainUse(origin: string, user: PortalUser | undefined): Promise<string | undefined>
}

/** Pages of the portal's host about applications. */
export type ApplicationPages = Omit<ApplicationSignIn, 'namingGroup' | 'explainUse'>

/** Adds pages to those of the applications; each answers its own paths, and knows its own sign-ins. */
export function withPages(applications: ApplicationSignIn, more: ApplicationPages): ApplicationSignIn {
  return {
    answers: (path) => more.answers(path) || applications.answers(path),
    answer: (page) => (more.answers(page.url.pathname) ? more.answer(page) : applications.answer(page)),
    findSignIn: async (id, authority) =>
      (await more.findSignIn(id, authority)) ?? applications.findSignIn(id, authority),
    namingGroup: (group) => applications.namingGroup(group),
    explainUse: (origin, user) => applications.explainUse(origin, user),
  }
}
