// What users of restic, rclone and kopia do every week. `run` is bash that ends with 0 where archiver does it and has left what it should;
// $S is an empty store and $T another, $W the folder with `data` in it. `needs` are programs of others. The other columns are words of their
// documentation, and were not tried.

/** Makes the folder that every row begins with. */
export const DATA = `
mkdir -p data/run-1 data/run-2 data/cache
printf alpha > data/a.txt; printf beta > data/run-1/b.csv; printf gamma > data/run-1/c.tmp; printf delta > data/run-2/d.csv
head -c 300000 /dev/urandom > data/run-2/large.bin; touch data/cache/.nobackup; printf x > data/cache/x
up() { archiver upload data $S --quiet "$@"; }
twice() { archiver sync data $S --quiet; printf new > data/new; archiver sync data $S --quiet; }
until_() { for i in $(seq 300); do "$@" && return; sleep 0.1; done; return 1; }
damage() { chunk=$(find store/uploads -name 'chunk-*' -size +100k); printf broken | dd of="$chunk" bs=1 seek=5000 conv=notrunc 2>said; }
refuses() { if "$@"; then return 1; fi; }
back() { rm -rf out; archiver restore $S out --all --quiet "$@"; }
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
        'twice; back; diff -r data out; archiver dataset versions $S | grep -q v2; test "$(du -sk store | cut -f1)" -lt 500',
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
        `archiver upload - $S --name ok.sql --stdin-command 'printf dump'; refuses archiver upload - $S --name no.sql --stdin-command 'printf half; exit 3'; test "$(archiver cat $S --file ok.sql)" = dump`,
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
        'archiver upload data $S --also $T',
        ['', '', ''],
        'archiver upload data $S --also $T; back; diff -r data out; rm -rf out store; archiver restore $T out --all; diff -r data out',
      ),
      row(
        'a slower line by day',
        'archiver sync data $S --bandwidth "08:00,10M 18:00,off"',
        ['~ --limit-upload, one rate', 'sync --bwlimit "08:00,10M 18:00,off"', '~ throttle set'],
        'begun=$(date +%s%N); archiver sync data $S --bandwidth "00:00,100K 12:00,100K"; took=$((($(date +%s%N) - begun) / 1000000)); test $took -gt 2000; back; diff -r data out',
      ),
      row(
        'going on after a break',
        'archiver resume',
        ['~ backup again', '~ copy again', '~ snapshot again'],
        `for i in 1 2 3; do head -c 200000 /dev/urandom > data/large-$i; done; sent() { find store -name 'chunk-*' 2>said | grep -q .; }
archiver upload data $S --bandwidth 100K --quiet & pid=$!; until_ sent; kill $pid; refuses wait $pid
archiver resume list | grep -q interrupted; refuses archiver list $S --dataset data; archiver resume 2>said; grep -q 'in the store already' said; back; diff -r data out`,
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
        `node -e 'require("http").createServer((q, a) => { console.log(q.method, q.url); q.resume(); a.end(); }).listen(0, "127.0.0.1", function () { console.log("port", this.address().port); })' > told & pid=$!; trap "kill $pid" EXIT
until_ grep -q port told; url=http://127.0.0.1:$(sed -n 's/port //p' told)/job; archiver sync data $S --ping-url $url
refuses archiver sync nothing $S --ping-url $url; test "$(tail -n +2 told | tr '\n' ' ')" = 'POST /job/start POST /job POST /job/start POST /job/1 '`,
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
        'twice; printf other > data/a.txt; archiver sync data $S; archiver history a.txt $S | grep -q "v3.*modified"',
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
        `up; archiver serve $S --webdav --json > served & pid=$!; trap "kill $pid" EXIT; until_ grep -q http served; url=$(grep -o 'http://[^"]*' served | head -1); curl -fsSL "$url" | grep -q by-dataset
latest="$url"by-dataset/$(curl -fsS "$url"by-dataset/ | grep -o 'data-[0-9a-f]*' | head -1)/latest; test "$(curl -fsS -r 1-3 $latest/a.txt)" = lph; curl -fsS $latest/run-2/large.bin | cmp - data/run-2/large.bin
curl -fsS -X PROPFIND -H 'Depth: 1' $latest/run-1/ | grep -q b.csv; refuses curl -fsS -T data/a.txt $latest/new`,
        ['curl'],
      ),
      row(
        'as a folder',
        'archiver mount $S dir',
        ['mount', 'mount', 'mount'],
        'up; mkdir dir; archiver mount $S dir --by rclone & pid=$!; trap "kill $pid; wait $pid" EXIT; until_ test -e dir/by-dataset; diff -r data dir/by-dataset/data-*/latest; refuses touch dir/new',
        ['rclone', 'fusermount3'],
      ),
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
        'up; archiver restore $S out --all --as-of "$(date +%Y-%m-%d)"; diff -r data out; refuses archiver restore $S then --all --as-of 2020-03-31',
      ),
      row(
        'by a tag',
        'archiver restore $S out --all --version submitted',
        ['restore --tag', '', '~ pins'],
        'cp -r data first; twice; archiver dataset tag $S submitted v1; archiver restore $S out --all --version submitted; diff -r first out',
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
        'archiver restore $S data --all --overwrite if-changed',
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
        'up; archiver verify $S; rm -r store/uploads/*/chunks* store/uploads/*/shard* 2>/dev/null || find store/uploads -name "*.zst" -delete; refuses archiver verify $S',
      ),
      row(
        'reading every byte',
        'archiver verify $S --deep',
        ['check --read-data', 'check --download', 'snapshot verify --verify-files-percent=100'],
        `up; archiver verify $S --deep; damage; archiver verify $S; refuses archiver verify $S --deep`,
      ),
      row(
        'proving that it can be restored',
        'archiver drill $S',
        ['', '', '~ snapshot verify'],
        'up; refuses grep drill <(archiver dataset versions $S); archiver drill $S; archiver dataset versions $S | grep -q "drill just now, [1-9]"; damage; refuses archiver drill $S --sample 100%',
      ),
      row(
        'keeping some of the versions',
        'archiver dataset prune $S --keep-daily 7 --keep-weekly 5',
        ['forget --keep-daily --prune', '', 'policy set --keep-daily'],
        'twice; archiver dataset prune $S --dataset data --keep-daily 7 --keep-weekly 5 --yes; archiver dataset versions $S > kept; grep -q v2 kept; refuses grep v1 kept; back; diff -r data out',
      ),
      row(
        'keeping what is young',
        'archiver dataset prune $S --keep-within 30d',
        ['forget --keep-within 30d', '~ --min-age', ''],
        'twice; archiver dataset prune $S --dataset data --keep-within 30d --yes; archiver dataset versions $S > kept; grep -q v1 kept; grep -q v2 kept',
      ),
      row(
        'taking that back',
        'archiver dataset restore-version $S --dataset data --version 1',
        ['', '', ''],
        'cp -r data first; twice; archiver dataset prune $S --dataset data --keep-last 1 --yes; refuses back --version 1; archiver dataset restore-version $S --dataset data --version 1; back --version 1; diff -r first out',
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
