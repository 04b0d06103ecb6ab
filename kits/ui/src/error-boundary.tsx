import { Button, Code, Text } from '@mantine/core'
import { IconBug, IconCloudOff, IconMapQuestion } from '@tabler/icons-react'
import { Component, type ReactNode } from 'react'
import { Link } from 'wouter'
import { EmptyState } from './page-parts.tsx'

/** Keeps a mistake in one page from taking the whole application away. Give it a `key` to start afresh per page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    if (isUnloaded(error)) return <UnloadedPage />
    return (
      <div role="alert">
        <EmptyState
          icon={IconBug}
          title="This page stopped working"
          heading="h1"
          action={<Button onClick={() => window.location.reload()}>Reload</Button>}
        >
          This is an error in the page, not in your data. If it happens again, report this:{' '}
          <Code>{error.message === '' ? error.name : error.message}</Code>
        </EmptyState>
      </div>
    )
  }
}

/** The file of the page could not be had: the connection is lost, or the service is a newer one by now. */
function isUnloaded({ message }: Error): boolean {
  return /dynamically imported module|module script failed/i.test(message)
}

function UnloadedPage() {
  return (
    <div role="alert">
      <EmptyState
        icon={IconCloudOff}
        title="This page could not be loaded"
        heading="h1"
        action={<Button onClick={() => window.location.reload()}>Reload</Button>}
      >
        The server does not answer, or it was updated since this page was opened.
      </EmptyState>
    </div>
  )
}

/** The page for addresses that lead nowhere. */
export function NotFound() {
  return (
    <EmptyState
      icon={IconMapQuestion}
      title="There is no such page"
      heading="h1"
      action={
        <Button component={Link} href="/" variant="default">
          Go to the overview
        </Button>
      }
    >
      <Text span>The address may be mistyped, or the page is for administrators only.</Text>
    </EmptyState>
  )
}
