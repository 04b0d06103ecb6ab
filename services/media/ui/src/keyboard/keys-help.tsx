import { Kbd, Modal } from '@mantine/core'
import { Fragment } from 'react'
import './keyboard.css'

/** A key and what it does. */
export type KeyHelp = readonly [key: string, does: string]

/** The keys of a page, on request. */
export function KeysHelp({
  opened,
  onClose,
  keys,
}: {
  opened: boolean
  onClose: () => void
  keys: readonly KeyHelp[]
}) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keys of this page">
      <dl className="keys-list">
        {keys.map(([key, does]) => (
          <Fragment key={key}>
            <dt>
              <Kbd>{key}</Kbd>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  )
}
