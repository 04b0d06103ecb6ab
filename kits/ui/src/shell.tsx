import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconBolt,
  IconDeviceDesktop,
  IconDots,
  IconLogout,
  IconMoon,
  IconPlugConnectedX,
  IconRefresh,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { ConnectionState } from './event-stream.ts'
import { mayOpen, type Page, pageHref, placementOf } from './page.ts'
import type { Service } from './service.ts'
import { ServiceSwitcher, type Neighbour } from './service-switcher.tsx'
import { useSession, useSessionStore } from './session-store.ts'
import { notifyProblem } from './notifications.tsx'

/** The frame around every page: brand, navigation, account menu, live state and the main landmark. */
export function Shell(props: {
  service: Service
  pages: readonly Page[]
  live: ConnectionState
  neighbours: () => Promise<readonly Neighbour[]>
  children: ReactNode
}) {
  const { service, pages, live, neighbours, children } = props
  const { user } = useSession()
  const mine = pages.filter((page) => mayOpen(page, user.role))
  const narrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const placed = (place: 'navigation' | 'menu') => mine.filter((page) => placementOf(page, narrow) === place)
  const Icon = service.icon
  return (
    <div className="hearth-shell">
      <a className="hearth-skip" href="#main">
        Skip to content
      </a>
      <header className="hearth-top">
        <div className="hearth-top-start">
          <Link href="/" className="hearth-brand">
            <Icon size={22} stroke={1.8} aria-hidden />
            <span>
              <b>Hearth</b> {service.name}
            </span>
          </Link>
          <ServiceSwitcher read={neighbours} />
        </div>
        <div className="hearth-top-end">
          <LiveState state={live} />
          <AccountMenu pages={placed('menu')} />
        </div>
      </header>
      <nav className="hearth-nav" aria-label="Main">
        {placed('navigation').map((page) => (
          <NavigationLink key={page.path} page={page} />
        ))}
      </nav>
      <main id="main" className="hearth-main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function NavigationLink({ page }: { page: Page }) {
  const [location] = useLocation()
  const href = pageHref(page)
  const current = href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`)
  const Icon = page.icon
  return (
    <Link href={href} className="hearth-nav-link" aria-current={current ? 'page' : undefined}>
      <Icon size={20} stroke={1.7} aria-hidden />
      <span>{page.title}</span>
      {page.badge !== undefined && <page.badge />}
    </Link>
  )
}

const liveLooks = {
  live: { Icon: IconBolt, text: 'Live' },
  connecting: { Icon: IconRefresh, text: 'Connecting' },
  reconnecting: { Icon: IconPlugConnectedX, text: 'Reconnecting' },
} as const

function LiveState({ state }: { state: ConnectionState }) {
  const { Icon, text } = liveLooks[state]
  return (
    <output className="hearth-live" data-state={state} aria-label={`Connection: ${text}`}>
      <Icon size={14} aria-hidden />
      {text}
    </output>
  )
}

const schemes = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'System', Icon: IconDeviceDesktop },
] as const

function AccountMenu({ pages }: { pages: readonly Page[] }) {
  const { user, is_open: isOpen = false } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        {isOpen ? (
          <UnstyledButton className="hearth-account" aria-label="Menu">
            <IconDots size={22} stroke={1.6} aria-hidden />
          </UnstyledButton>
        ) : (
          <UnstyledButton className="hearth-account" aria-label={`Account of ${user.username}`}>
            <IconUserCircle size={22} stroke={1.6} aria-hidden />
            <span>{user.username}</span>
          </UnstyledButton>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {pages.map((page) => (
          <Menu.Item
            key={page.path}
            component={Link}
            href={pageHref(page)}
            leftSection={<page.icon size={16} aria-hidden />}
          >
            {page.title}
          </Menu.Item>
        ))}
        {pages.length > 0 && <Menu.Divider />}
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          {schemes.map(({ value, label, Icon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon size={16} aria-hidden />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        {!isOpen && <SignOutItem />}
      </Menu.Dropdown>
    </Menu>
  )
}

function SignOutItem() {
  const session = useSessionStore()
  return (
    <>
      <Menu.Divider />
      <Menu.Item
        leftSection={<IconLogout size={16} aria-hidden />}
        onClick={() => void session.signOut().catch(notifyProblem)}
      >
        Sign out
      </Menu.Item>
    </>
  )
}
