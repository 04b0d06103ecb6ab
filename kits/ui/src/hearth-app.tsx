import './hearth-styles.ts'
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core'
import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { lazy, type ReactNode, StrictMode, Suspense, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { Route, Router, Switch, useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { ApiError } from './api-error.ts'
import { ErrorBoundary, NotFound } from './error-boundary.tsx'
import { ConnectionContext, useEventStream } from './event-stream.ts'
import { Notifications } from './notifications.tsx'
import { mayOpen, type Page, useDocumentTitle } from './page.ts'
import { ErrorState, LoadingLines } from './page-parts.tsx'
import { returnFocusOfDialogs } from './return-focus.ts'
import type { Service } from './service.ts'
import type { Neighbour } from './service-switcher.tsx'
import { SessionContext, type SessionStore, useSession, useSessionState, useSessionStore } from './session-store.ts'
import { Shell } from './shell.tsx'
import { Gate } from './sign-in.tsx'
import { hearthTheme, hearthVariables } from './theme.ts'

/** Everything a service hands over to become a web page. */
export interface HearthAppOptions<Event> {
  service: Service
  session: SessionStore
  pages: readonly Page[]
  /** Pages for people who are not signed in: each stands alone, without navigation. */
  openPages?: readonly Page[]
  /** Address of the event stream and what an event does to the cached answers. */
  events: {
    url: string
    /** See `useEventStream`: with it a lost connection goes on where it was lost. */
    resumes?: boolean
    onEvent(event: Event, cache: QueryClient): void
  }
  /** Reads the other Hearth services that answer. */
  neighbours: () => Promise<readonly Neighbour[]>
  /** Element beside every page while somebody is signed in, such as a dialog that any page may need. */
  aside?: ReactNode
}

/** Loaded when it is first needed, because most visits never see it. */
const PasswordChangeScreen = lazy(async () => ({
  default: (await import('./accounts/password-change-screen.tsx')).PasswordChangeScreen,
}))

const schemeManager = localStorageColorSchemeManager({ key: 'hearth-color-scheme' })

/** Starts a service's web page in `#root`, with the nonce of this answer for every style element made later. */
export function startHearthApp<Event>(options: HearthAppOptions<Event>): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
  setNonce(nonce)
  const root = document.querySelector('#root')
  if (root === null) throw new Error('the page has no element #root')
  returnFocusOfDialogs(document)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={hearthTheme(options.service.accent)}
        cssVariablesResolver={hearthVariables}
        colorSchemeManager={schemeManager}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={createQueryClient()}>
          <Notifications />
          <SessionContext value={options.session}>
            <Router searchHook={useSearchOnceDecoded}>
              <Switch>
                {(options.openPages ?? []).map((page) => (
                  <Route key={page.path} path={page.path}>
                    <OpenPage page={page} service={options.service} />
                  </Route>
                ))}
                <Route>
                  <SessionGate {...options} />
                </Route>
              </Switch>
            </Router>
          </SessionContext>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

/** The query of the page's address. wouter decodes it before the values are read, which decodes them again: `%2541` was `A`. */
const useSearchOnceDecoded = () => useSearch().replaceAll('%', '%25')

const loading = <output className="hearth-loading" aria-label="Loading" />

function OpenPage({ page, service }: { page: Page; service: Service }) {
  return (
    <ErrorBoundary>
      <Suspense fallback={loading}>
        <PageFrame page={page} service={service} />
      </Suspense>
    </ErrorBoundary>
  )
}

function SessionGate<Event>(options: HearthAppOptions<Event>) {
  const state = useSessionState()
  const store = useSessionStore()
  const cache = useQueryClient()
  useEffect(() => {
    void store.load()
  }, [store])
  useEffect(() => {
    if (state.step === 'signed-out') cache.clear()
  }, [state.step, cache])
  if (state.step === 'loading') return loading
  if (state.step === 'unreachable')
    return (
      <Gate service={options.service}>
        <ErrorState error={state.error} onRetry={() => void store.load()} />
      </Gate>
    )
  return (
    <ErrorBoundary>
      <Suspense fallback={loading}>
        <SessionScreen {...options} />
      </Suspense>
    </ErrorBoundary>
  )
}

/** The screen for the state of the session: sign-in, the change of a generated password, or the application. */
function SessionScreen<Event>(options: HearthAppOptions<Event>) {
  const state = useSessionState()
  const Screen = options.service.signInScreen
  if (state.step === 'signed-out') return <Screen service={options.service} ended={state.ended} />
  if (state.step === 'password-change') return <PasswordChangeScreen service={options.service} />
  return <SignedIn {...options} />
}

function SignedIn<Event>({ service, pages, events, neighbours, aside }: HearthAppOptions<Event>) {
  const cache = useQueryClient()
  const { user } = useSession()
  const store = useSessionStore()
  const [location] = useLocation()
  const live = useEventStream<Event>({
    url: events.url,
    resumes: events.resumes === true,
    onEvent: (event) => events.onEvent(event, cache),
    onGap: () => void cache.invalidateQueries(),
    onTrouble: () => void store.check(),
  })
  return (
    <Shell service={service} pages={pages} live={live} neighbours={neighbours}>
      <ConnectionContext value={live}>
        <ErrorBoundary key={location.split('/')[1]}>
          <Suspense fallback={<LoadingLines />}>
            <Switch>
              {pages
                .filter((page) => mayOpen(page, user.role))
                .map((page) => (
                  <Route key={page.path} path={page.path}>
                    <PageFrame page={page} service={service} />
                  </Route>
                ))}
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </ConnectionContext>
      {aside}
    </Shell>
  )
}

function PageFrame({ page, service }: { page: Page; service: Service }) {
  return (
    <>
      <PageTitle title={page.title} service={service.name} />
      <page.component />
    </>
  )
}

/** Rendered before the page, so that a title the page itself sets is the later one. */
function PageTitle({ title, service }: { title: string; service: string }) {
  useDocumentTitle(title, service)
  return null
}

/** The cache of one page. Events keep it fresh, so nothing is read again by time or by focus; only a lost connection is retried. */
function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}
