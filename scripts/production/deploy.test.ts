/**
 * Checks the promises of `deploy/`: every process has only what it needs, does not run as root, and has a read-only
 * file system.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../server/src/adapters/supplied/isPublicAddress.ts';
import { variables } from '../../server/src/bin/config/variables.ts';
import { parseDockerfile } from './image/parseDockerfile.ts';
import schema from './kubernetes.schema.json' with { type: 'json' };

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const read = (file: string) => readFileSync(join(deploy, file), 'utf8');

/** Parsed YAML and units: members are looked up, and missing ones are undefined. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of the document is not ours
type Document = any;

const documents: Document[] = readdirSync(join(deploy, 'kubernetes')).flatMap((file) =>
  read(`kubernetes/${file}`)
    .split(/^---$/m)
    .map((text) => parseYaml(text)),
);
const ofKind = (kind: string) => documents.filter((one) => one.kind === kind);
const byName = (kind: string, name: string) => ofKind(kind).find((one) => one.metadata.name === name);
const PROCESSES = ['server', 'worker', 'signer'];
/** The console keeps its sessions in memory, so there is one. */
const ALL = ['console', 'migrate', ...PROCESSES];
const OPS_PORTS = {
  server: 'FLORIN_OPS_PORT',
  worker: 'FLORIN_WORKER_OPS_PORT',
  signer: 'FLORIN_SIGNER_OPS_PORT',
} as const;
const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
const containerOf = (one: Document) => one.spec.template.spec.containers[0];
const envOf = (one: Document): Record<string, string> =>
  Object.fromEntries((containerOf(one).env ?? []).map(({ name, value }: Document) => [name, value]));
const portsOf = (rules: Document[]): number[] => rules.flatMap((one) => one.ports.map(({ port }: Document) => port));

const PUBLIC = ['1.1.1.1', '2606:4700::1111'];
const PRIVATE = [
  ...['10.0.0.9', '100.64.0.1', '169.254.169.254', '172.20.0.1', '192.168.1.1'],
  ...['::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', '64:ff9b::a00:1'],
];

/** Whether a network policy lets its pods connect to an address that is no pod. */
function allows(policy: Document, address: string, port: number): boolean {
  const contains = (cidr: string) => {
    const [start, bits] = cidr.split('/') as [string, string];
    const family = (one: string) => (one.includes(':') ? 'ipv6' : 'ipv4');
    const block = new BlockList();
    block.addSubnet(start, Number(bits), family(start));
    return family(start) === family(address) && block.check(address, family(address));
  };
  return policy.spec.egress.some(
    ({ ports, to }: Document) =>
      ports.some((one: Document) => one.port === port && one.protocol !== 'UDP') &&
      (to === undefined ||
        to.some(
          ({ ipBlock }: Document) => ipBlock && contains(ipBlock.cidr) && !(ipBlock.except ?? []).some(contains),
        )),
  );
}

/** Their keys are of the operator's choosing. */
const MAPS = ['labels', 'matchLabels', 'requests', 'limits'];

/** Copies of a document, each with one mistake. */
function mutate(document: Document): { readonly what: string; readonly mutant: Document }[] {
  const paths = (node: Document, path: string[]): string[][] =>
    typeof node === 'object'
      ? [path, ...Object.entries(node).flatMap(([key, value]) => paths(value, [...path, key]))]
      : [path];
  return paths(document, []).flatMap((path) => {
    const mutant = structuredClone(document);
    const parent = path.slice(0, -1).reduce((node, key) => node[key], mutant);
    const key = path.at(-1);
    const node = key === undefined ? mutant : parent[key];
    if (Array.isArray(node) || (key !== undefined && MAPS.includes(key))) return [];
    if (typeof node === 'object') node.unknown = 1;
    else parent[key!] = [];
    return [{ what: path.join('.'), mutant }];
  });
}

/** One for each kind, so that a message is about that kind alone. */
const { definitions } = schema;
const validators = new Map(
  schema.oneOf.map((one) => [one.properties.kind.const, new Ajv({ strict: false }).compile({ ...one, definitions })]),
);

describe('the manifests for Kubernetes', () => {
  it.each(documents.map((one) => [`${one.kind} ${one.metadata.name}`, one]))(
    '%s has no unknown field',
    (_, document) => {
      const validate = validators.get(document.kind)!;
      expect(validate).toBeDefined();
      validate(document);
      expect(validate.errors).toBe(null);
    },
  );

  it('mount only volumes that the pod has, and route to ports that a container opens', () => {
    for (const one of workloads) {
      const mounted = containerOf(one).volumeMounts.map(({ name }: Document) => name);
      expect(one.spec.template.spec.volumes.map(({ name }: Document) => name)).toEqual(mounted);
    }
    for (const { spec } of ofKind('Service')) {
      const target = byName('Deployment', `florin-${spec.selector['app.kubernetes.io/component']}`);
      const opened = containerOf(target).ports.map(({ name }: Document) => name);
      for (const { targetPort } of spec.ports) expect(opened).toContain(targetPort);
    }
  });

  it('let the signer listen on every address, and others reach it by the name of its service', () => {
    const signer = byName('Deployment', 'florin-signer');
    const { ports } = byName('Service', 'florin-signer').spec;
    expect(envOf(signer)).toMatchObject({
      FLORIN_SIGNER_LISTEN: `https://0.0.0.0:${ports[0].port}`,
      FLORIN_TLS_CERT_FILE: '/tls/tls.crt',
      FLORIN_TLS_KEY_FILE: '/tls/tls.key',
    });
    for (const name of ['server', 'worker'])
      expect(envOf(byName('Deployment', `florin-${name}`))).toMatchObject({
        FLORIN_SIGNER_URL: `https://florin-signer:${ports[0].port}`,
        NODE_EXTRA_CA_CERTS: '/ca/ca.pem',
      });
    for (const one of workloads)
      expect(containerOf(one).volumeMounts).toContainEqual({ name: 'ca', mountPath: '/ca', readOnly: true });
    const known = Object.keys(variables);
    for (const one of workloads)
      expect(Object.keys(envOf(one)).filter((name) => name !== 'NODE_EXTRA_CA_CERTS' && !known.includes(name))).toEqual(
        [],
      );
  });

  it('stop what a service leads to only after a delay, within the grace period', () => {
    for (const { spec } of ofKind('Service')) {
      const { terminationGracePeriodSeconds, containers } = byName(
        'Deployment',
        `florin-${spec.selector['app.kubernetes.io/component']}`,
      ).spec.template.spec;
      const [program, seconds] = containers[0].lifecycle.preStop.exec.command;
      expect(program).toBe('sleep');
      expect(Number(seconds)).toBeGreaterThanOrEqual(5);
      // A process ends at most ten seconds after SIGTERM (runProcess.ts).
      expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 10);
    }
  });

  it('are in one namespace that refuses privileged pods', () => {
    expect(ofKind('Namespace')[0].metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
    const others = documents.filter((one) => one.kind !== 'Namespace').map((one) => one.metadata.namespace);
    expect([...new Set(others)]).toEqual(['florin']);
  });

  it('run each process under an identity of its own', () => {
    expect(workloads.map((one) => containerOf(one).args[0]).sort()).toEqual([...ALL].sort());
    const accounts = workloads.map((one) => one.spec.template.spec.serviceAccountName);
    expect(new Set(accounts).size).toBe(workloads.length);
    for (const account of accounts) expect(byName('ServiceAccount', account)).toBeDefined();
    const secrets = workloads.map((one) => containerOf(one).envFrom[0].secretRef.name);
    expect(new Set(secrets).size).toBe(workloads.length);
  });

  it.each(workloads.map((one) => [one.metadata.name, one]))('%s is not root and writes nothing', (_, workload) => {
    const { securityContext: pod, automountServiceAccountToken } = workload.spec.template.spec;
    expect(pod).toMatchObject({ runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } });
    expect(automountServiceAccountToken).toBe(false);
    expect(containerOf(workload)).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: { limits: { memory: expect.any(String) } },
    });
  });

  it('the console has probes, and never two processes', () => {
    const { spec } = byName('Deployment', 'florin-console');
    expect(spec).toMatchObject({ replicas: 1, strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } });
    const port = Number(variables.FLORIN_CONSOLE_OPS_PORT.example);
    const { livenessProbe, readinessProbe } = spec.template.spec.containers[0];
    expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port });
  });

  it.each(PROCESSES)('%s has probes, survives a drained machine, and is replaced without a gap', (name) => {
    const workload = byName('Deployment', `florin-${name}`);
    const variable = OPS_PORTS[name as keyof typeof OPS_PORTS];
    const port = Number(variables[variable].example);
    const { livenessProbe, readinessProbe, ports } = containerOf(workload);
    expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port });
    expect(ports).toContainEqual({ name: 'ops', containerPort: port });
    expect(workload.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    expect(byName('PodDisruptionBudget', `florin-${name}`).spec).toEqual({
      minAvailable: 1,
      selector: { matchLabels: workload.spec.selector.matchLabels },
    });
    expect(workload.spec.template.metadata.labels).toEqual(workload.spec.selector.matchLabels);
  });

  it('give the seed to the signer alone', () => {
    const withSeed = workloads.filter((one) => JSON.stringify(one).includes('florin-seed'));
    expect(withSeed.map((one) => one.metadata.name)).toEqual(['florin-signer']);
  });

  it('refuse every connection that is not listed', () => {
    const all = byName('NetworkPolicy', 'refuse-everything');
    expect(all.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    for (const component of ALL) {
      const { spec } = byName('NetworkPolicy', component);
      expect(spec.podSelector.matchLabels).toEqual({ 'app.kubernetes.io/component': component });
    }
    const { ingress, egress } = byName('NetworkPolicy', 'signer').spec;
    const callers = ingress[0].from.map((one: Document) => one.podSelector.matchLabels['app.kubernetes.io/component']);
    expect(callers).toEqual(['server', 'worker']);
    expect(portsOf(ingress)).toEqual([9470, 9466]);
    expect(portsOf(egress)).toEqual([53, 53, 5432]);
    const server = byName('NetworkPolicy', 'server').spec;
    const worker = byName('NetworkPolicy', 'worker').spec;
    expect(portsOf(server.ingress)).toEqual([8000, 8001, 9464]);
    expect(portsOf(server.egress)).toEqual([53, 53, 5432, 9470, 443, 4318]);
    // Webhooks may be on port 8443.
    expect(portsOf(worker.egress)).toEqual([53, 53, 5432, 9470, 443, 8443, 4318]);
    expect(portsOf(byName('NetworkPolicy', 'migrate').spec.egress)).toEqual([53, 53, 5432]);
    const desk = byName('NetworkPolicy', 'console').spec;
    expect([portsOf(desk.ingress), portsOf(desk.egress)]).toEqual([
      [8003, 9467],
      [53, 53, 5432, 443],
    ]);
  });

  it('let processes reach public addresses at the ports that they need, and no others', () => {
    const opened = (name: string) =>
      [...PUBLIC, ...PRIVATE].flatMap((address) =>
        [443, 8443]
          .filter((port) => allows(byName('NetworkPolicy', name), address, port))
          .map((port) => [address, port]),
      );
    expect(PRIVATE.filter((address) => isPublicAddress(address))).toEqual([]);
    for (const name of ['server', 'console']) expect(opened(name)).toEqual(PUBLIC.map((address) => [address, 443]));
    // Webhooks may be on port 8443.
    const both = PUBLIC.flatMap((address) => [443, 8443].map((port) => [address, port]));
    expect(opened('worker')).toEqual(both);
    expect([opened('signer'), opened('migrate')]).toEqual([[], []]);
    const [, signer] = /(^---\n(?:(?!---).*\n)*metadata: \{ name: signer,(?:(?!---).*\n)*)/m.exec(
      read('kubernetes/network.yaml'),
    )!;
    const atCircle = parseYaml(
      signer!.replace(/^ {4}# (- ports| {2}to:| {4}- ipBlock)/gm, '    $1').replace('---', ''),
    );
    const reached = [...PUBLIC, ...PRIVATE].filter((address) => allows(atCircle, address, 443));
    expect(reached).toEqual(PUBLIC);
  });

  it('would be refused with an unknown field, or with a list for a value', () => {
    for (const document of documents) {
      const validate = validators.get(document.kind)!;
      const accepted = mutate(document).filter(({ mutant }) => validate(mutant));
      expect(accepted.map(({ what }) => `${document.kind} ${document.metadata.name}: ${what}`)).toEqual([]);
    }
  });
});

describe('compose.yaml', () => {
  const { services, networks }: Document = parseYaml(read('compose.yaml'));
  const ours = ALL;

  it('runs every process read-only, without rights, after the migration', () => {
    for (const name of ours)
      expect(services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        command: [name],
        env_file: `${name}.env`,
      });
    for (const name of PROCESSES)
      expect(services[name].depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  });

  it('gives the seed to the signer alone, and gives neither it nor the database access to the outside', () => {
    expect(ours.filter((name) => JSON.stringify(services[name].volumes ?? []).includes('seed'))).toEqual(['signer']);
    const users = PROCESSES.map((name) => services[name].user.split(':'));
    expect(new Set(users.map(([user]) => user)).size).toBe(PROCESSES.length);
    expect(new Set(users.map(([, group]) => group)).size).toBe(1);
    for (const name of ['server', 'worker']) expect(services[name].volumes).toContain('signer:/run/florin:ro');
    // A fresh volume is a copy of the folder in the image.
    const [uid, gid] = services.signer.user.split(':');
    expect(read('Dockerfile')).toContain(
      `fs.chownSync('/run/florin', ${uid}, ${gid}); fs.chmodSync('/run/florin', 0o750)`,
    );
    expect(networks.inside).toEqual({ internal: true });
    expect([services.signer.networks, services.database.networks]).toEqual([['inside'], ['inside']]);
  });
});

it('PostgreSQL of compose.yaml takes only TLS from other containers', () => {
  const { services }: Document = parseYaml(read('compose.yaml'));
  expect(services.database.command).toEqual(expect.arrayContaining(['-cssl=on', '-chba_file=/etc/florin/pg_hba.conf']));
  const lines = read('pg_hba.conf').match(/^(?!#)\S+/gm);
  expect(lines).toEqual(['local', 'hostssl']);
});

describe('the units for systemd', () => {
  const units = readdirSync(join(deploy, 'systemd'));
  const settingOf = (text: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1];

  it('are one for each process and for the migration, each with a user and settings of its own', () => {
    const verbs = units.map((file) =>
      settingOf(read(`systemd/${file}`), 'ExecStart')!
        .split(' ')
        .at(-1),
    );
    expect(verbs.sort()).toEqual([...ALL].sort());
    for (const name of ['User', 'EnvironmentFile']) {
      const given = units.map((file) => settingOf(read(`systemd/${file}`), name));
      expect(new Set(given).size).toBe(units.length);
    }
  });

  it('start a process again however often it has ended', () => {
    for (const name of PROCESSES) {
      const [unit, service] = read(`systemd/florin-${name}.service`).split('[Service]') as [string, string];
      expect([name, settingOf(unit, 'StartLimitIntervalSec')]).toEqual([name, '0']);
      expect([name, settingOf(service, 'Restart')]).toEqual([name, 'always']);
    }
  });

  describe.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('in systemd-analyze', () => {
    // Other units of this machine may have faults, and Node may be elsewhere.
    const verify = (paths: string[]) =>
      spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' })
        .stderr.split('\n')
        .filter((line) => /florin-\w+\.service/.test(line) && !/\/node is not exec/.test(line));

    it('have no fault', () => {
      expect(verify(units.map((file) => join(deploy, 'systemd', file)))).toEqual([]);
    });

    it('would have one with a misspelled setting', () => {
      const folder = mkdtempSync(join(tmpdir(), 'florin-units-'));
      try {
        const paths = units.map((file) => join(folder, file));
        for (const [nth, file] of units.entries())
          writeFileSync(paths[nth]!, read(`systemd/${file}`).replace('NoNewPrivileges=', 'NoNewPrivilege='));
        for (const file of units) expect(verify(paths).join('\n')).toContain(file);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });

  it.each(units)('%s may write nothing and gain nothing', (file) => {
    const text = read(`systemd/${file}`);
    const wanted = { NoNewPrivileges: 'yes', ProtectSystem: 'strict', ProtectHome: 'yes', CapabilityBoundingSet: '' };
    for (const [name, value] of Object.entries(wanted)) expect([name, settingOf(text, name)]).toEqual([name, value]);
  });
});

it('the image runs under a numeric user that is not root, and has a health check', () => {
  const image = parseDockerfile(read('Dockerfile')).at(-1)!;
  expect(image).toMatchObject({ user: '65532:65532', entrypoint: ['node', '/app/florin'], command: ['server'] });
  expect(image.healthcheck.slice(0, 2)).toEqual(['node', '-e']);
  for (const name of Object.values(OPS_PORTS)) expect(image.healthcheck[2]).toContain(variables[name].example);
});
