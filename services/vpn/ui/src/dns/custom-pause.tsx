import { Button, Group, Modal, NumberInput, Stack } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'

/** A week is the longest the service takes. */
const maxMinutes = 10_080

/** Dialog for the length of a pause, in minutes. */
export function CustomPause({ onClose, onPause }: { onClose: () => void; onPause: (seconds: number) => void }) {
  const [minutes, setMinutes] = useState<number | string>(30)
  const isGood = typeof minutes === 'number' && minutes >= 1 && minutes <= maxMinutes
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isGood) return
    onPause(Math.round(minutes * 60))
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title="Pause the filter" size="xs">
      <form onSubmit={submit} noValidate>
        <Stack>
          <NumberInput
            label="Duration"
            description="Minutes, up to a week. Nothing is blocked for anyone meanwhile."
            suffix=" min"
            data-autofocus
            value={minutes}
            onChange={setMinutes}
            error={isGood ? null : `Between 1 and ${maxMinutes.toLocaleString('en')} minutes`}
            clampBehavior="none"
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Pause filter</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
