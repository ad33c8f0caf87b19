import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Machines on one network: network namespaces that a bridge joins. Making them needs root on Linux. */
export interface Network {
  machines: Machine[]
  remove: () => Promise<void>
}

export interface Machine {
  address: string
  /** What to write before a command to run it there. It keeps the process id. */
  enter: string[]
  /** Drops every packet from and to the machine. Its connections stay open. */
  cut: () => Promise<void>
  join: () => Promise<void>
}

export async function createNetwork(size: number): Promise<Network> {
  // A name of an interface has at most 15 characters.
  const id = randomInt(0x1000, 0xffff).toString(16)
  const bridge = `console${id}`
  const subnet = `10.${randomInt(64, 250)}.${randomInt(1, 250)}`
  const created: string[][] = []
  const remove = async () => {
    for (const args of created.splice(0).toReversed()) await ip(...args)
  }
  try {
    // Without the delay a machine that joins again would wait 15 seconds for its first packet.
    await ip('link', 'add', bridge, 'type', 'bridge', 'forward_delay', '0', 'stp_state', '0')
    created.push(['link', 'delete', bridge])
    await ip('address', 'add', `${subnet}.1/24`, 'dev', bridge)
    await ip('link', 'set', bridge, 'up')
    const machines: Machine[] = []
    for (let n = 1; n <= size; n++) {
      const namespace = `${bridge}-${n}`
      const port = `${bridge}p${n}`
      const address = `${subnet}.${10 + n}`
      await ip('netns', 'add', namespace)
      created.push(['netns', 'delete', namespace])
      await ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
      created.push(['link', 'delete', port])
      await ip('link', 'set', port, 'master', bridge, 'up')
      await ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0')
      await ip('-n', namespace, 'link', 'set', 'eth0', 'up')
      await ip('-n', namespace, 'link', 'set', 'lo', 'up')
      machines.push({
        address,
        enter: ['nsenter', `--net=/run/netns/${namespace}`],
        cut: () => ip('link', 'set', port, 'down'),
        join: () => ip('link', 'set', port, 'up'),
      })
    }
    return { machines, remove }
  } catch (error) {
    await remove()
    throw new Error('The network could not be made: this needs root on Linux and iproute2', { cause: error })
  }
}

async function ip(...args: string[]): Promise<void> {
  await run('ip', args, { env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin` } })
}
