import { type ComponentType, lazy, type LazyExoticComponent } from 'react'

/** What a role may do, from least to most. */
export type Role = 'user' | 'admin'

/** One page of a service: one file and one line in `pages.ts`. */
export interface Page {
  /** Route pattern, such as `/peers`. */
  path: string
  /** Name in the navigation, heading of the document's title. */
  title: string
  icon: ComponentType<{ size?: number | string; stroke?: number | string; 'aria-hidden'?: boolean }>
  /** The least role that sees it. */
  role: Role
  component: LazyExoticComponent<ComponentType>
  /**
   * `menu` puts it into the account menu instead of the navigation, `more` does so on a phone only, `hidden` leaves it to links
   * in other pages.
   */
  place: 'navigation' | 'more' | 'menu' | 'hidden'
}

/** A page loaded when it is first opened; `load` picks the named export out of the page's file. */
export function page(
  path: string,
  look: Pick<Page, 'title' | 'icon'> & { role?: Role; place?: Page['place'] },
  load: () => Promise<ComponentType>,
): Page {
  const component = lazy(async () => ({ default: await load() }))
  return { role: 'user', place: 'navigation', ...look, path, component }
}

/** True when somebody of this role may see the page. */
export function mayOpen(page: Pick<Page, 'role'>, role: string): boolean {
  return page.role === 'user' || role === 'admin'
}

/** Where the navigation leads: the page's pattern without its parameters. */
export function pageHref(page: Pick<Page, 'path'>): string {
  return page.path.replace(/\/:.*$/, '') || '/'
}

/** Whether a page stands in the navigation, in the account menu, or in neither; a phone's bar has room for few. */
export function placeOf(page: Pick<Page, 'place'>, isNarrow: boolean): 'navigation' | 'menu' | 'hidden' {
  if (page.place === 'more') return isNarrow ? 'menu' : 'navigation'
  return page.place
}
