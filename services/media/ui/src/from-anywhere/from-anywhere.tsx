import { Anchor, Text } from '@mantine/core'
import { CopyButton, Section } from '@hearth/ui'
import { useHasTokens } from '../settings/own-tokens.tsx'
import { bookmarkletFor, commandFor, shortcutFor } from './addresses.ts'
import { Feeds } from './feeds.tsx'
import './from-anywhere.css'

/** Ways to the service from other devices and programs. */
export function FromAnywhere() {
  return (
    <>
      <Phones />
      <Bookmarklet />
      <Feeds />
      <CommandLine />
    </>
  )
}

function Phones() {
  const shortcut = shortcutFor(window.location.origin)
  return (
    <Section title="Phones and tablets">
      <div className="ways">
        <div>
          <h3>Android</h3>
          <Text size="sm">
            Open this page in Chrome and choose <b>Install app</b> or <b>Add to Home screen</b> in its menu. From then
            on <b>Media</b> is in the share menu of every app: share a video with it and press Download.
          </Text>
          {!window.isSecureContext && (
            <Text size="sm" c="dimmed" mt={4}>
              Chrome installs pages with https only; this one was opened without.
            </Text>
          )}
        </div>
        <div>
          <h3>iPhone and iPad</h3>
          <Text size="sm">
            In the app <b>Shortcuts</b> make a shortcut that shows in the share sheet and receives URLs, with the action{' '}
            <b>Open URLs</b> and this address, <b>Shortcut Input</b> right after it:
          </Text>
          <Copyable text={shortcut} label="Copy address" />
        </div>
      </div>
    </Section>
  )
}

function Bookmarklet() {
  const bookmarklet = bookmarkletFor(window.location.origin)
  // React refuses such an address as a prop. It is for dragging: on this page it does nothing.
  const setAddress = (link: HTMLAnchorElement | null) => link?.setAttribute('href', bookmarklet)
  return (
    <Section title="Bookmark">
      <Text size="sm" mb="sm">
        Drag{' '}
        <Anchor ref={setAddress} className="bookmarklet" onClick={(event) => event.preventDefault()}>
          Send to Media
        </Anchor>{' '}
        to the bookmarks of your browser. On the page of a video, a click on it opens Media with that video.
      </Text>
      <CopyButton text={bookmarklet}>Copy bookmark</CopyButton>
    </Section>
  )
}

function CommandLine() {
  const hasTokens = useHasTokens()
  return (
    <Section title="Command line">
      <Text size="sm">
        Where Hearth is installed, this downloads a video’s sound and writes it to the present folder:
      </Text>
      <Copyable text={commandFor(window.location.origin, hasTokens)} label="Copy command" />
      <Text size="sm" c="dimmed" mt="sm">
        {hasTokens
          ? 'The file holds an API token with the permissions Submit; without sign-in none is needed.'
          : 'While sign-in is on it needs an API token: the setting API_TOKENS=on allows them.'}
      </Text>
    </Section>
  )
}

function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <div className="copyable">
      <code className="hearth-mono">{text}</code>
      <CopyButton text={text}>{label}</CopyButton>
    </div>
  )
}
