import { type ComponentType, lazy, type LazyExoticComponent, useEffect } from 'react'

/** Roles of users, from least to most rights. */
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
  placement: 'navigation' | 'more' | 'menu' | 'hidden'
  /** Stands after the title in the navigation, such as a count of what is new. */
  badge?: ComponentType | undefined
}

/** A page loaded when it is first opened; its file exports one component, the page. */
export function page(
  path: string,
  look: Pick<Page, 'title' | 'icon' | 'badge'> & { role?: Role; placement?: Page['placement'] },
  load: () => Promise<Record<string, ComponentType>>,
): Page {
  const component = lazy(async () => {
    const [found] = Object.values(await load())
    if (found === undefined) throw new Error(`The file of ${path} exports no page`)
    return { default: found }
  })
  return { role: 'user', placement: 'navigation', ...look, path, component }
}

/** True when somebody of this role may see the page. */
export function mayOpen(page: Pick<Page, 'role'>, role: string): boolean {
  return page.role === 'user' || role === 'admin'
}

/** Target of a link in the navigation: the page's pattern without its parameters. */
export function pageHref(page: Pick<Page, 'path'>): string {
  return page.path.replace(/\/:.*$/, '') || '/'
}

/** Place of a page's link: the navigation, the account menu, or neither; a phone's bar has room for few. */
export function placementOf(page: Pick<Page, 'placement'>, isNarrow: boolean): 'navigation' | 'menu' | 'hidden' {
  if (page.placement === 'more') return isNarrow ? 'menu' : 'navigation'
  return page.placement
}

/** Sets the document's title to "Page · Service" while the component is on screen. */
export function useDocumentTitle(title: string, service: string): void {
  useEffect(() => {
    document.title = `${title} · Hearth ${service}`
  }, [title, service])
}
