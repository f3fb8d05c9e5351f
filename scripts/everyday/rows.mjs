// What users of restic, rclone and kopia do every week. `run` is bash that ends with 0 where archiver does it and has left what it should;
// $S is an empty store and $T another, $W the folder with `data` in it. `needs` are programs of others. The other columns are words of their
// documentation, and were not tried.

/** Makes the folder that every row begins with. */
export const DATA = `
mkdir -p data/run-1 data/run-2 data/cache
printf alpha > data/a.txt; printf beta > data/run-1/b.csv; printf gamma > data/run-1/c.tmp; printf delta > data/run-2/d.csv
head -c 300000 /dev/urandom > data/run-2/large.bin; touch data/cache/.nobackup; printf x > data/cache/x
up() { archiver upload data $S --quiet "$@"; }
back() { rm -rf out; archiver restore $S out --all --quiet "$@"; }
paths() { archiver list $S --json "$@" | node -e 'const d = JSON.parse(require("fs").readFileSync(0)); console.log(d.files.map((f) => f.path).join(" "))'; }
`;

const row = (what, say, [restic, rclone, kopia], run, needs) => ({ what, say, restic, rclone, kopia, run, needs });

export const AREAS = [
  {
    area: 'Putting it there',
    rows: [
      row(
        'a first copy of a folder',
        'archiver upload data $S',
        ['backup data', 'copy data R:', 'snapshot create data'],
        'archiver upload data $S; back; diff -r data out',
      ),
      row(
        'the next one: only what changed',
        'archiver sync data $S',
        ['backup data', 'sync data R:', 'snapshot create data'],
        'archiver sync data $S; printf new > data/new; archiver sync data $S; back; diff -r data out; archiver dataset versions $S | grep -q v2',
      ),
      row(
        'what would be sent',
        'archiver sync data $S --dry-run',
        ['backup --dry-run', 'sync --dry-run', 'snapshot estimate'],
        'archiver sync data $S --dry-run; test ! -e store/uploads',
      ),
      row(
        'leaving out by pattern',
        "archiver upload data $S --exclude '*.tmp'",
        ['backup --exclude', 'copy --exclude', 'policy set --add-ignore'],
        "up --exclude '*.tmp'; back; test ! -e out/run-1/c.tmp -a -e out/run-1/b.csv",
      ),
      row(
        'only what matches',
        "archiver upload data $S --include '*.csv'",
        ['', 'copy --include', ''],
        "up --include '*.csv'; back; test -e out/run-1/b.csv -a ! -e out/a.txt",
      ),
      row(
        'leaving out what is large',
        'archiver upload data $S --exclude-larger-than 100K',
        ['backup --exclude-larger-than', 'copy --max-size', 'policy set --max-file-size'],
        'up --exclude-larger-than 100K; back; test ! -e out/run-2/large.bin -a -e out/run-2/d.csv',
      ),
      row(
        'leaving out folders with a mark',
        'archiver upload data $S --exclude-if-present .nobackup',
        ['backup --exclude-if-present', 'copy --exclude-if-present', '~ policy dot-ignore'],
        'up --exclude-if-present .nobackup; back; test ! -e out/cache/x -a -e out/a.txt',
      ),
      row(
        'a list of files',
        'archiver upload data $S --files-from list',
        ['backup --files-from', 'copy --files-from', ''],
        'printf "a.txt\\nrun-1/b.csv\\n" > list; up --files-from list; back; test -e out/run-1/b.csv -a ! -e out/run-2/d.csv',
      ),
      row(
        'a dump from a pipe',
        'pg_dump db | archiver upload - $S --name db.sql',
        ['backup --stdin', 'rcat', 'snapshot create --stdin-file'],
        'printf dump | archiver upload - $S --name db.sql; test "$(archiver cat $S --file db.sql)" = dump',
      ),
      row(
        'a command whose failure counts',
        "archiver upload - $S --name db.sql --stdin-command 'pg_dump db'",
        ['backup --stdin-from-command', '', ''],
        `archiver upload - $S --name ok.sql --stdin-command 'printf dump'; if archiver upload - $S --name no.sql --stdin-command 'printf half; exit 3'; then exit 1; fi; test "$(archiver cat $S --file ok.sql)" = dump`,
      ),
      row(
        'several folders in one version',
        'archiver upload data/run-1 data/run-2 $S',
        ['backup a b', '', '~ one source each'],
        'archiver upload data/run-1 data/run-2 $S; back; diff -r data/run-1 out/run-1; diff -r data/run-2 out/run-2',
      ),
      row(
        'one file',
        'archiver upload data/a.txt $S',
        ['backup a.txt', 'copyto', 'snapshot create a.txt'],
        'archiver upload data/a.txt $S; back; cmp data/a.txt out/a.txt',
      ),
      row(
        'from a bucket, packed',
        'archiver upload s3://raw-bucket/prefix $S',
        ['', 'copy S3:raw R:', ''],
        `export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1 AWS_ENDPOINT_URL=http://127.0.0.1:5617
moto_server -p 5617 > moto 2>&1 & pid=$!; trap "kill $pid" EXIT
for i in $(seq 100); do aws s3 mb s3://raw-bucket > made 2>&1 && break; sleep 0.2; done
aws s3 cp --recursive --quiet data s3://raw-bucket/prefix; archiver upload s3://raw-bucket/prefix $S; back; diff -r data out`,
        ['moto_server', 'aws'],
      ),
      row(
        'two stores at once',
        'archiver sync data $S --also $T',
        ['', '', ''],
        'archiver sync data $S --also $T; back; diff -r data out; rm -rf out; archiver restore $T out --all; diff -r data out',
      ),
      row(
        'a slower line by day',
        'archiver sync data $S --bandwidth "08:00,10M 18:00,off"',
        ['~ --limit-upload, one rate', 'sync --bwlimit "08:00,10M 18:00,off"', '~ throttle set'],
        'archiver sync data $S --bandwidth "00:00,10M 12:00,20M"; back; diff -r data out',
      ),
      row(
        'going on after a break',
        'archiver resume',
        ['~ backup again', '~ copy again', '~ snapshot again'],
        'archiver resume list; archiver resume list --json | grep -q "\\["',
      ),
      row(
        'away with the source, once it is proven',
        'archiver upload data $S --remove-source-after verify',
        ['', '~ move', ''],
        'cp -r data kept; archiver upload data $S --remove-source-after verify --yes; test ! -e data/a.txt; back; diff -r kept out',
      ),
      row(
        'telling a monitor',
        'archiver sync data $S --ping-url URL',
        ['', '', 'notification profile'],
        'archiver sync data $S --textfile m.prom; grep -q archiver_run_success m.prom; archiver help sync | grep -q ping-url',
      ),
    ],
  },
  {
    area: 'Naming the store',
    rows: [
      row(
        'by a variable',
        'export ARCHIVER_STORE=$S',
        ['RESTIC_REPOSITORY', '~ remotes', '~ repository connect'],
        'export ARCHIVER_STORE=$S; archiver upload data; archiver list; archiver find a.txt; archiver dataset versions; archiver verify',
      ),
      row(
        'by a name',
        'archiver list nas:',
        ['', 'lsf nas:', ''],
        `printf 'stores:\\n  nas:\\n    url: %s\\n' "$S" > .archiver.yaml; archiver upload data nas:; archiver list nas:; archiver list --store nas`,
      ),
      row(
        'completing names of datasets and versions',
        'archiver restore --dataset <Tab>',
        ['', '', ''],
        `up; archiver list $S > names; archiver __complete -- restore $S out --dataset '' | grep -q data`,
      ),
    ],
  },
  {
    area: 'Looking',
    rows: [
      row(
        'which versions there are',
        'archiver dataset versions $S',
        ['snapshots', '~ lsf of backup-dir', 'snapshot list'],
        'up; archiver dataset versions $S | grep -q v1',
      ),
      row(
        'the files of one',
        'archiver list $S --dataset data',
        ['ls latest', 'lsl', 'ls -l'],
        'up; archiver list $S --dataset data | grep -q run-1/b.csv',
      ),
      row(
        'a file, whichever version has it',
        "archiver find '*.csv' $S",
        ['find', '~ lsf of one', ''],
        "up; archiver find '*.csv' $S | grep -q run-1/b.csv",
      ),
      row(
        'what became of one file',
        'archiver history a.txt $S',
        ['~ find', '', ''],
        'archiver sync data $S; printf other > data/a.txt; archiver sync data $S; archiver history a.txt $S | grep -q modified',
      ),
      row(
        'what changed between two versions',
        'archiver dataset diff $S --from 1',
        ['diff', '~ check', 'diff'],
        'archiver sync data $S; printf other > data/a.txt; archiver sync data $S; archiver dataset diff $S --from 1 | grep -q "modified.*a.txt"',
      ),
      row(
        'looking around in it',
        'archiver shell $S',
        ['~ mount', '~ ncdu', '~ server, in a browser'],
        `up; archiver shell $S -c 'ls -la run-1' | grep -q b.csv`,
      ),
      row(
        'what is old and big at the source',
        'archiver analyze data',
        ['', '~ ncdu', ''],
        'archiver analyze data | grep -q run-2',
      ),
      row(
        'in a browser, or by WebDAV',
        'archiver serve $S',
        ['', '~ serve webdav: files as they lie there', 'server start'],
        `up; archiver serve $S --json > served & pid=$!; for i in $(seq 100); do grep -q http served && break; sleep 0.1; done; url=$(grep -o 'http://[^"]*' served | head -1); curl -fsSL "$url" | grep -q by-dataset; kill $pid`,
        ['curl'],
      ),
      row('as a folder', 'archiver mount $S dir', ['mount', 'mount', 'mount'], 'archiver help mount | grep -q rclone'),
      row(
        'everything as JSON',
        'archiver list $S --json',
        ['--json', 'lsjson', '--json'],
        'up; archiver list $S --dataset data --json | node -e "JSON.parse(require(\'fs\').readFileSync(0))"',
      ),
    ],
  },
  {
    area: 'Getting it back',
    rows: [
      row(
        'everything',
        'archiver restore $S out --all',
        ['restore latest --target out', 'copy R: out', 'restore'],
        'up; archiver restore $S out --all; diff -r data out',
      ),
      row(
        'one file',
        'archiver restore $S out --file run-1/b.csv',
        ['restore --include', 'copyto', 'restore ID/path'],
        'up; archiver restore $S out --file run-1/b.csv; cmp data/run-1/b.csv out/run-1/b.csv; test ! -e out/a.txt',
      ),
      row(
        'by pattern',
        "archiver restore $S out --pattern '**/*.csv'",
        ['restore --include', 'copy --include', ''],
        `up; archiver restore $S out --pattern '**/*.csv'; test -e out/run-2/d.csv -a ! -e out/a.txt`,
      ),
      row(
        'as it was that day',
        'archiver restore $S out --all --as-of 2026-03-31',
        ['', '~ --backup-dir', ''],
        'up; archiver restore $S out --all --as-of "$(date +%Y-%m-%d)"; diff -r data out',
      ),
      row(
        'by a tag',
        'archiver restore $S out --all --version submitted',
        ['restore --tag', '', '~ pins'],
        'up; archiver dataset tag $S submitted v1; archiver restore $S out --all --version submitted; diff -r data out',
      ),
      row(
        'to stdout',
        'archiver cat $S --file a.txt',
        ['dump latest a.txt', 'cat', 'show'],
        'up; test "$(archiver cat $S --file a.txt)" = alpha',
      ),
      row(
        'as one tar or zip',
        'archiver restore $S --all --to-tar -',
        ['dump -a tar latest /', '~ archive create', ''],
        'up; mkdir t; archiver restore $S --all --to-tar - | tar x -C t; diff -r data t; archiver restore $S --all --to-zip a.zip; test -s a.zip',
      ),
      row(
        'in place, only what differs',
        'archiver restore $S data --all --overwrite',
        ['restore --overwrite if-changed', 'sync R: data', 'restore --skip-existing'],
        'up; printf broken > data/a.txt; archiver restore $S data --all --overwrite if-changed; test "$(cat data/a.txt)" = alpha',
      ),
    ],
  },
  {
    area: 'Keeping it well',
    rows: [
      row(
        'is all of it there',
        'archiver verify $S',
        ['check', 'check', 'snapshot verify'],
        'up; archiver verify $S; rm -r store/uploads/*/chunks* store/uploads/*/shard* 2>/dev/null || find store/uploads -name "*.zst" -delete; if archiver verify $S; then exit 1; fi',
      ),
      row(
        'reading every byte',
        'archiver verify $S --deep',
        ['check --read-data', 'check --download', 'snapshot verify --verify-files-percent=100'],
        'up; archiver verify $S --deep',
      ),
      row(
        'proving that it can be restored',
        'archiver drill $S',
        ['', '', '~ snapshot verify'],
        'up; archiver drill $S; archiver dataset versions $S | grep -qi "restorable\\|drill"',
      ),
      row(
        'keeping some of the versions',
        'archiver dataset prune $S --keep-daily 7 --keep-weekly 5',
        ['forget --keep-daily --prune', '', 'policy set --keep-daily'],
        'archiver sync data $S; printf n > data/n; archiver sync data $S; archiver dataset prune $S --dataset data --keep-last 1 --yes; archiver dataset versions $S | grep -q v2',
      ),
      row(
        'keeping what is young',
        'archiver dataset prune $S --keep-within 30d',
        ['forget --keep-within 30d', '~ --min-age', ''],
        'archiver sync data $S; archiver dataset prune $S --dataset data --keep-within 30d --yes',
      ),
      row(
        'taking that back',
        'archiver dataset restore-version $S --version 1',
        ['', '', ''],
        'archiver sync data $S; printf n > data/n; archiver sync data $S; archiver dataset prune $S --dataset data --keep-last 1 --yes; archiver dataset restore-version $S --dataset data --version 1; back --version 1',
      ),
      row(
        'a copy in a second store',
        'archiver copy $S $T',
        ['copy', 'copy R: S:', 'repository sync-to'],
        'up; archiver copy $S $T; archiver verify $T --deep; archiver restore $T out --all; diff -r data out',
      ),
    ],
  },
];
