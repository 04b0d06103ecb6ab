export { createLocalBus, type EventBus } from './bus.ts'
export { EventStream, type EventStreamOptions, type StreamEnd, type Subscriber } from './event-stream.ts'
export { openPostgresBus } from './postgres-bus.ts'
