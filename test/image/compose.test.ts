import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { knownVariables } from '../support/configuration.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
const stages = [...read('Dockerfile').matchAll(/^FROM .* AS (\w+)$/gm)].map(([, name]) => name)

describe('compose.yaml', () => {
  interface Service {
    image: string
    build?: { target: string }
    ports?: string[]
    volumes?: string[]
    healthcheck?: object
    depends_on?: Record<string, { condition: string }>
    environment?: Record<string, string>
  }
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
    volumes: Record<string, null>
  }

  it('publishes ports on the loopback address only', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    assert.ok(ports.length >= 5)
    assert.deepEqual(
      ports.filter((port) => !port.startsWith('127.0.0.1:')),
      [],
    )
  })

  it('refers to stages, volumes and services that exist', () => {
    for (const [name, { build, volumes: mounts = [], depends_on: needed = {} }] of Object.entries(services)) {
      if (build) assert.ok(stages.includes(build.target), `${name}: ${build.target}`)
      for (const mount of mounts)
        assert.ok(Object.hasOwn(volumes, mount.split(':')[0] ?? ''), `${name}: ${mount}`)
      for (const [other, { condition }] of Object.entries(needed)) {
        assert.ok(Object.hasOwn(services, other), `${name}: ${other}`)
        const checked =
          services[other]?.build?.target === 'console' || services[other]?.healthcheck !== undefined
        if (condition === 'service_healthy') assert.ok(checked, `${name}: ${other} has a health check`)
      }
    }
  })

  it('sets only variables that the console reads', () => {
    const known = knownVariables()
    for (const name of ['console', 'relay', 'migrate']) {
      const variables = Object.keys(services[name]?.environment ?? {})
      assert.deepEqual(
        variables.filter((variable) => !known.includes(variable)),
        [],
        name,
      )
    }
  })
})
