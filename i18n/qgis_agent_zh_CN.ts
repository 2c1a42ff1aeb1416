<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1">
<context>
    <name>QgisAgent</name>
    <message>
        <source>The agent environment was not built to its end. Build it again.</source>
        <translation>智能体环境没有构建完成，请重新构建。</translation>
    </message>
    <message>
        <source>The agent environment belongs to another version of the plugin. Build it again.</source>
        <translation>智能体环境属于插件的另一个版本，请重新构建。</translation>
    </message>
    <message>
        <source>The agent environment holds start-up files that do not belong there: {names}. Build it again.</source>
        <translation>智能体环境中有不属于它的启动文件：{names}。请重新构建。</translation>
    </message>
    <message>
        <source>The Python of the agent environment does not run. Build it again.</source>
        <translation>智能体环境的 Python 无法运行，请重新构建。</translation>
    </message>
    <message>
        <source>The agent environment holds {name} {version}, a release with malicious code. Build it again.</source>
        <translation>智能体环境中有 {name} {version}，这是含有恶意代码的版本。请重新构建。</translation>
    </message>
    <message>
        <source>Packages of the agent environment were changed after it was built. Build it again.</source>
        <translation>智能体环境的软件包在构建之后被改动过，请重新构建。</translation>
    </message>
    <message>
        <source>Look at the log of the build, then try again.</source>
        <translation>请查看构建日志，然后重试。</translation>
    </message>
    <message>
        <source>The agent environment is not set up yet.</source>
        <translation>智能体环境尚未设置。</translation>
    </message>
    <message>
        <source>The agent&apos;s packages could not be installed.</source>
        <translation>无法安装智能体的软件包。</translation>
    </message>
    <message>
        <source>The agent environment could not be written to {folder}: {error}</source>
        <translation>无法写入智能体环境 {folder}：{error}</translation>
    </message>
    <message>
        <source>Check the folder&apos;s permissions, or name another one in the variable QGIS_AGENT_ENV.</source>
        <translation>请检查文件夹的权限，或在变量 QGIS_AGENT_ENV 中指定其他文件夹。</translation>
    </message>
    <message>
        <source>Another program is building the agent environment; waiting for it.</source>
        <translation>另一个程序正在构建智能体环境，正在等待。</translation>
    </message>
    <message>
        <source>Looking for a Python.</source>
        <translation>正在查找 Python。</translation>
    </message>
    <message>
        <source>The agent environment is ready.</source>
        <translation>智能体环境已就绪。</translation>
    </message>
    <message>
        <source>The Python environment could not be made.</source>
        <translation>无法创建 Python 环境。</translation>
    </message>
    <message>
        <source>Installing the agent&apos;s packages.</source>
        <translation>正在安装智能体的软件包。</translation>
    </message>
    <message>
        <source>There are {free} MB free in {folder}; the agent environment needs {needed} MB.</source>
        <translation>{folder} 中有 {free} MB 可用空间，智能体环境需要 {needed} MB。</translation>
    </message>
    <message>
        <source>Make room on the disk, then try again.</source>
        <translation>请腾出磁盘空间，然后重试。</translation>
    </message>
    <message>
        <source>Checking the agent environment.</source>
        <translation>正在检查智能体环境。</translation>
    </message>
    <message>
        <source>Close every QGIS that uses the agent, then try again.</source>
        <translation>请关闭所有使用智能体的 QGIS，然后重试。</translation>
    </message>
    <message>
        <source>The old agent environment could not be moved away: {error}</source>
        <translation>无法移走旧的智能体环境：{error}</translation>
    </message>
    <message>
        <source>Using {path} (Python {version}).</source>
        <translation>使用 {path}（Python {version}）。</translation>
    </message>
    <message>
        <source>Making a Python environment in {folder}.</source>
        <translation>正在 {folder} 中创建 Python 环境。</translation>
    </message>
    <message>
        <source>No Python {oldest} to {newest} with venv and ensurepip was found. Tried: {tried}.</source>
        <translation>没有找到带有 venv 和 ensurepip 的 Python {oldest} 到 {newest}。已尝试：{tried}。</translation>
    </message>
    <message>
        <source>Install Python 3.12 from python.org, or the program uv, then try again.</source>
        <translation>请从 python.org 安装 Python 3.12，或安装 uv 程序，然后重试。</translation>
    </message>
    <message>
        <source>Install your distribution&apos;s packages python3 and python3-venv, or the program uv, then try again.</source>
        <translation>请安装发行版的 python3 和 python3-venv 软件包，或安装 uv 程序，然后重试。</translation>
    </message>
    <message>
        <source>Plugin and agent environment are of different versions. Build the agent environment again.</source>
        <translation>插件与智能体环境的版本不一致，请重新构建智能体环境。</translation>
    </message>
    <message>
        <source>The agent process is closed.</source>
        <translation>智能体进程已关闭。</translation>
    </message>
    <message>
        <source>The agent process could not begin: {}</source>
        <translation>智能体进程无法开始工作：{}</translation>
    </message>
    <message>
        <source>The agent process ended unexpectedly (code {}).</source>
        <translation>智能体进程意外结束（代码 {}）。</translation>
    </message>
    <message>
        <source>The agent process did not answer within {} s.</source>
        <translation>智能体进程在 {} 秒内没有应答。</translation>
    </message>
    <message>
        <source>The agent process could not be started: {}</source>
        <translation>无法启动智能体进程：{}</translation>
    </message>
    <message>
        <source>a polygon has no count or no area</source>
        <translation>有一个面没有计数或面积</translation>
    </message>
    <message>
        <source>{} points lie inside, but {} were counted.</source>
        <translation>有 {} 个点位于内部，但计数为 {} 个。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; ({}) is no number field.</source>
        <translation>字段“{}”（{}）不是数值字段。</translation>
    </message>
    <message>
        <source>Number fields: {}.</source>
        <translation>数值字段：{}。</translation>
    </message>
    <message>
        <source>Check the condition with count_features, and the layer&apos;s filter.</source>
        <translation>请用 count_features 检查条件，并检查图层的过滤器。</translation>
    </message>
    <message>
        <source>Use a layer of that kind; search_layers tells the kind of each.</source>
        <translation>请使用该类型的图层；search_layers 会给出每个图层的类型。</translation>
    </message>
    <message>
        <source>None of the {} features of &apos;{}&apos; has a geometry.</source>
        <translation>图层“{1}”的 {0} 个要素都没有几何图形。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no CRS, so metres cannot be measured.</source>
        <translation>图层“{}”没有坐标参照系，因此无法以米为单位量测。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; is a {} layer; {} needs: {}.</source>
        <translation>图层“{}”是{}图层；{} 需要：{}。</translation>
    </message>
    <message>
        <source>No feature of &apos;{}&apos; matches.</source>
        <translation>“{}”中没有符合条件的要素。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no features.</source>
        <translation>图层“{}”没有要素。</translation>
    </message>
    <message>
        <source>The filter of &apos;{}&apos; is in force.</source>
        <translation>“{}”的过滤器正在起作用。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has edits that are not saved; they are included.</source>
        <translation>“{}”有未保存的编辑，已一并计入。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; have no geometry and are left out.</source>
        <translation>“{1}”中有 {0} 个要素没有几何图形，已忽略。</translation>
    </message>
    <message>
        <source>QGIS gave no reason.</source>
        <translation>QGIS 没有给出原因。</translation>
    </message>
    <message>
        <source>Check the layer&apos;s geometries and coordinates, or use fewer features (where).</source>
        <translation>请检查图层的几何图形和坐标，或使用较少的要素（where）。</translation>
    </message>
    <message>
        <source>Switch its provider on in the Processing settings.</source>
        <translation>请在“处理”设置中启用它的提供者。</translation>
    </message>
    <message>
        <source>Check the layers and values of the call.</source>
        <translation>请检查调用中的图层和取值。</translation>
    </message>
    <message>
        <source>Try it in the Processing toolbox to see its log.</source>
        <translation>请在处理工具箱中尝试它并查看日志。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>{} failed: {}</source>
        <translation>{} 失败：{}</translation>
    </message>
    <message>
        <source>The algorithm {} is not available in this QGIS.</source>
        <translation>此 QGIS 中没有算法 {}。</translation>
    </message>
    <message>
        <source>{} refuses its parameters: {}</source>
        <translation>{} 不接受它的参数：{}</translation>
    </message>
    <message>
        <source>{} ended, but its result cannot be read.</source>
        <translation>{} 已结束，但无法读取其结果。</translation>
    </message>
    <message>
        <source>{} has no parameter &apos;{}&apos;.</source>
        <translation>{} 没有参数“{}”。</translation>
    </message>
    <message>
        <source>The result was checked and is not right, so it was dropped: {}</source>
        <translation>结果经检查不正确，已丢弃：{}</translation>
    </message>
    <message>
        <source>{} gave {} features instead of {}.</source>
        <translation>{} 给出了 {} 个要素，应为 {} 个。</translation>
    </message>
    <message>
        <source>the buffers have {:.6g} m², the polygons {:.6g} m².</source>
        <translation>缓冲区面积为 {:.6g} m²，而面为 {:.6g} m²。</translation>
    </message>
    <message>
        <source>the buffer of a point has {:.6g} m² instead of {:.6g} m².</source>
        <translation>点的缓冲区面积为 {:.6g} m²，应为 {:.6g} m²。</translation>
    </message>
    <message>
        <source>Prepare the write again; a person then decides in QGIS (or the command line&apos;s --approve).</source>
        <translation>请重新准备写入；随后由人在 QGIS 中决定（或使用命令行的 --approve）。</translation>
    </message>
    <message>
        <source>This call does not belong to a run that QGIS started.</source>
        <translation>此调用不属于 QGIS 启动的任何一次运行。</translation>
    </message>
    <message>
        <source>This token has been used already.</source>
        <translation>该令牌已经用过。</translation>
    </message>
    <message>
        <source>This token is older than 5 minutes.</source>
        <translation>该令牌已超过 5 分钟。</translation>
    </message>
    <message>
        <source>A person has not agreed to this write.</source>
        <translation>尚未有人同意这次写入。</translation>
    </message>
    <message>
        <source>Send the request again from QGIS.</source>
        <translation>请从 QGIS 重新发送请求。</translation>
    </message>
    <message>
        <source>Use a vector layer; search_layers tells the kind of each.</source>
        <translation>请使用矢量图层；search_layers 会给出每个图层的类型。</translation>
    </message>
    <message>
        <source>Repair its data source in QGIS (the file may have been moved).</source>
        <translation>请在 QGIS 中修复它的数据源（文件可能已被移动）。</translation>
    </message>
    <message>
        <source>There is no layer &apos;{}&apos; in the project.</source>
        <translation>工程中没有图层“{}”。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a vector layer.</source>
        <translation>“{}”不是矢量图层。</translation>
    </message>
    <message>
        <source>The data of layer &apos;{}&apos; cannot be read.</source>
        <translation>无法读取图层“{}”的数据。</translation>
    </message>
    <message>
        <source>Plan mode only reads; leave plan mode first.</source>
        <translation>计划模式只读取数据；请先离开计划模式。</translation>
    </message>
    <message>
        <source>Writes go through a prepare_ tool.</source>
        <translation>写入要通过 prepare_ 工具进行。</translation>
    </message>
    <message>
        <source>Use fewer features (where) or a smaller area.</source>
        <translation>请使用较少的要素（where）或较小的区域。</translation>
    </message>
    <message>
        <source>This is not allowed here ({}).</source>
        <translation>此处不允许（{}）。</translation>
    </message>
    <message>
        <source>A person can raise the permission level in the settings.</source>
        <translation>可以由人在设置中提高权限级别。</translation>
    </message>
    <message>
        <source>Use another tool.</source>
        <translation>请使用其他工具。</translation>
    </message>
    <message>
        <source>It took longer than {} s and was stopped.</source>
        <translation>用时超过 {} 秒，已停止。</translation>
    </message>
    <message>
        <source>The log (tab QGIS Agent) has the details; try another way.</source>
        <translation>日志（QGIS Agent 标签页）中有详细信息；请换一种方法。</translation>
    </message>
    <message>
        <source>The tool {} is not offered here.</source>
        <translation>此处不提供工具 {}。</translation>
    </message>
    <message>
        <source>The tool {} broke.</source>
        <translation>工具 {} 出错。</translation>
    </message>
    <message>
        <source>May the agent do this?</source>
        <translation>允许智能体执行此操作吗？</translation>
    </message>
    <message>
        <source>reads data</source>
        <translation>读取数据</translation>
    </message>
    <message>
        <source>changes how the open project looks; nothing is saved</source>
        <translation>改变已打开工程的显示方式；不保存任何内容</translation>
    </message>
    <message>
        <source>writes to disk</source>
        <translation>写入磁盘</translation>
    </message>
    <message>
        <source>connects to the network</source>
        <translation>连接网络</translation>
    </message>
    <message>
        <source>runs code</source>
        <translation>运行代码</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>影响</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>图层</translation>
    </message>
    <message>
        <source>nothing: this kind of field cannot be compared</source>
        <translation>无：这种字段无法比较</translation>
    </message>
    <message>
        <source>needs a number or date field</source>
        <translation>需要数值或日期字段</translation>
    </message>
    <message>
        <source>Use eq, in or contains.</source>
        <translation>请使用 eq、in 或 contains。</translation>
    </message>
    <message>
        <source>needs a text field and a text</source>
        <translation>需要文本字段和文本</translation>
    </message>
    <message>
        <source>Use eq, gt or between.</source>
        <translation>请使用 eq、gt 或 between。</translation>
    </message>
    <message>
        <source>needs a list of 1 to 200 values</source>
        <translation>需要包含 1 到 200 个值的列表</translation>
    </message>
    <message>
        <source>is not a date</source>
        <translation>不是日期</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no field &apos;{}&apos;.</source>
        <translation>图层“{}”没有字段“{}”。</translation>
    </message>
    <message>
        <source>takes no value</source>
        <translation>不带值</translation>
    </message>
    <message>
        <source>needs a list of two values</source>
        <translation>需要包含两个值的列表</translation>
    </message>
    <message>
        <source>must be a finite number</source>
        <translation>必须是有限的数</translation>
    </message>
    <message>
        <source>a text in quotes, also when it looks like a number</source>
        <translation>加引号的文本，即使看起来像数字</translation>
    </message>
    <message>
        <source>a number without quotes</source>
        <translation>不加引号的数</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>a date as text, YYYY-MM-DD</source>
        <translation>文本形式的日期，YYYY-MM-DD</translation>
    </message>
    <message>
        <source>The value {!r} does not fit the field &apos;{}&apos; ({}).</source>
        <translation>值 {!r} 不适合字段“{}”（{}）。</translation>
    </message>
    <message>
        <source>Condition on &apos;{}&apos; ({}): {} {}.</source>
        <translation>关于“{}”（{}）的条件：{} {}。</translation>
    </message>
    <message>
        <source>See the field&apos;s type in describe_layer.</source>
        <translation>字段类型见 describe_layer。</translation>
    </message>
    <message>
        <source>Give {}. For empty values use is_null.</source>
        <translation>请给出{}。空值请用 is_null。</translation>
    </message>
    <message>
        <source>You did not allow this.</source>
        <translation>您没有允许这一操作。</translation>
    </message>
    <message>
        <source>Nobody is here to agree to this.</source>
        <translation>这里没有人可以同意这一操作。</translation>
    </message>
    <message>
        <source>The question was not answered.</source>
        <translation>询问没有得到回答。</translation>
    </message>
    <message>
        <source>Do not try it again; say what else can be done.</source>
        <translation>不要再次尝试；请说明还能做什么。</translation>
    </message>
    <message>
        <source>Ask again when you want it; a new question is shown.</source>
        <translation>需要时请再次提出，将显示新的询问。</translation>
    </message>
    <message>
        <source>The layer&apos;s data could not be read.</source>
        <translation>无法读取图层的数据。</translation>
    </message>
    <message>
        <source>Check the layer&apos;s data source in QGIS.</source>
        <translation>请在 QGIS 中检查图层的数据源。</translation>
    </message>
    <message>
        <source>&lt;{} bytes&gt;</source>
        <translation>&lt;{} 字节&gt;</translation>
    </message>
    <message>
        <source>Give a .qgz or .qgs file, a vector file, or &apos;world&apos;.</source>
        <translation>请给出 .qgz 或 .qgs 文件、矢量文件，或“world”。</translation>
    </message>
    <message>
        <source>Use a .png name in an existing folder.</source>
        <translation>请在已有的文件夹中使用 .png 文件名。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is neither a QGIS project nor vector data.</source>
        <translation>“{}”既不是 QGIS 工程，也不是矢量数据。</translation>
    </message>
    <message>
        <source>The picture &apos;{}&apos; could not be written.</source>
        <translation>无法写入图片“{}”。</translation>
    </message>
    <message>
        <source>There is no project &apos;{}&apos;.</source>
        <translation>没有工程“{}”。</translation>
    </message>
    <message>
        <source>Open and repair it in QGIS.</source>
        <translation>请在 QGIS 中打开并修复它。</translation>
    </message>
    <message>
        <source>The project &apos;{}&apos; cannot be opened: {}</source>
        <translation>无法打开工程“{}”：{}</translation>
    </message>
    <message>
        <source>none (save the project first)</source>
        <translation>无（请先保存工程）</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>This is not the path of a file.</source>
        <translation>这不是文件路径。</translation>
    </message>
    <message>
        <source>Only local files are allowed, no URLs and no virtual file systems.</source>
        <translation>只允许本地文件，不允许 URL 和虚拟文件系统。</translation>
    </message>
    <message>
        <source>The project has no folder yet, so a relative path leads nowhere.</source>
        <translation>工程还没有文件夹，因此无法使用相对路径。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is outside the folders that may be {}.</source>
        <translation>“{}”不在允许{}的文件夹中。</translation>
    </message>
    <message>
        <source>Give the path of a file in the project folder.</source>
        <translation>请给出工程文件夹中文件的路径。</translation>
    </message>
    <message>
        <source>Save the project first, or add a folder in the settings.</source>
        <translation>请先保存工程，或在设置中添加文件夹。</translation>
    </message>
    <message>
        <source>Allowed: {}.</source>
        <translation>允许：{}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a file name that works on every system.</source>
        <translation>“{}”不是在每个系统上都可用的文件名。</translation>
    </message>
    <message>
        <source>There is no file &apos;{}&apos;.</source>
        <translation>没有文件“{}”。</translation>
    </message>
    <message>
        <source>There is no folder &apos;{}&apos;.</source>
        <translation>没有文件夹“{}”。</translation>
    </message>
    <message>
        <source>The file &apos;{}&apos; exists already and is not overwritten.</source>
        <translation>文件“{}”已存在，不会覆盖。</translation>
    </message>
    <message>
        <source>Choose an existing folder inside {}.</source>
        <translation>请选择 {} 中已有的文件夹。</translation>
    </message>
    <message>
        <source>Choose a new name, for example &apos;{}&apos;.</source>
        <translation>请选择新的名称，例如“{}”。</translation>
    </message>
    <message>
        <source>Shortened to fit; ask for fewer fields.</source>
        <translation>为适应长度已缩短；请少要一些字段。</translation>
    </message>
    <message>
        <source>This result is no longer kept.</source>
        <translation>此结果已不再保留。</translation>
    </message>
    <message>
        <source>Ask the question again: the tool gives a new result_ref.</source>
        <translation>请重新提问：工具会给出新的 result_ref。</translation>
    </message>
    <message>
        <source>starting the agent</source>
        <translation>正在启动智能体</translation>
    </message>
    <message>
        <source>The agent process is not there.</source>
        <translation>智能体进程不存在。</translation>
    </message>
    <message>
        <source>The conversation is kept; send the request again.</source>
        <translation>对话已保留，请重新发送请求。</translation>
    </message>
    <message>
        <source>The model could not be set: {}</source>
        <translation>无法设置模型：{}</translation>
    </message>
    <message>
        <source>The classification manual needs breaks.</source>
        <translation>manual 分类需要 breaks。</translation>
    </message>
    <message>
        <source>The breaks are not ascending.</source>
        <translation>breaks 不是升序。</translation>
    </message>
    <message>
        <source>All values are equal, so there is one class.</source>
        <translation>所有值都相等，因此只有一个分级。</translation>
    </message>
    <message>
        <source>Give options.breaks, ascending inner limits: n breaks make n+1 classes.</source>
        <translation>请给出 options.breaks，即升序的内部界限：n 个界限形成 n+1 个分级。</translation>
    </message>
    <message>
        <source>Sort options.breaks from low to high, each number once.</source>
        <translation>请将 options.breaks 从小到大排列，每个数只出现一次。</translation>
    </message>
    <message>
        <source>Limits that coincide were merged, so there are {} classes.</source>
        <translation>重合的界限已合并，因此有 {} 个分级。</translation>
    </message>
    <message>
        <source>There are only {} different values, so there are {} classes.</source>
        <translation>只有 {} 个不同的值，因此有 {} 个分级。</translation>
    </message>
    <message>
        <source>Natural breaks are computed from a sample of {} of {} values.</source>
        <translation>自然断点由 {1} 个值中的 {0} 个样本计算得出。</translation>
    </message>
    <message>
        <source>The layer has no features, so there are no classes.</source>
        <translation>图层没有要素，因此没有分级。</translation>
    </message>
    <message>
        <source>The layer&apos;s filter is in force: classes are those of the filtered features.</source>
        <translation>图层的过滤器正在起作用：分级针对过滤后的要素。</translation>
    </message>
    <message>
        <source>Check the layer&apos;s filter; the style was not changed.</source>
        <translation>请检查图层的过滤器；样式没有改变。</translation>
    </message>
    <message>
        <source>{}: one colour, {}</source>
        <translation>{}：单色，{}</translation>
    </message>
    <message>
        <source>{}: {} by {}, {}, palette {}, {} classes</source>
        <translation>{}：{}，按 {}，{}，色带 {}，{} 个分级</translation>
    </message>
    <message>
        <source>Use a point, line or polygon layer.</source>
        <translation>请使用点、线或面图层。</translation>
    </message>
    <message>
        <source>The method {} needs a field.</source>
        <translation>方法 {} 需要字段。</translation>
    </message>
    <message>
        <source>Use another field; the style was not changed.</source>
        <translation>请使用其他字段；样式没有改变。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no features, so there are no categories.</source>
        <translation>图层“{}”没有要素，因此没有类别。</translation>
    </message>
    <message>
        <source>Reading values</source>
        <translation>正在读取值</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no geometry, so nothing of it is drawn.</source>
        <translation>图层“{}”没有几何图形，因此不会绘制任何内容。</translation>
    </message>
    <message>
        <source>Give field, one of: {}.</source>
        <translation>请给出 field，可选：{}。</translation>
    </message>
    <message>
        <source>Leave breaks out, or use classification manual.</source>
        <translation>请去掉 breaks，或使用 manual 分类。</translation>
    </message>
    <message>
        <source>{} of {} features have no value and are not drawn.</source>
        <translation>{1} 个要素中有 {0} 个没有值，不会绘制。</translation>
    </message>
    <message>
        <source>All {} features are without a value in &apos;{}&apos;, so there are no classes.</source>
        <translation>全部 {} 个要素在“{}”中都没有值，因此没有分级。</translation>
    </message>
    <message>
        <source>breaks go with the classification manual only; {} computes its own.</source>
        <translation>breaks 只用于 manual 分类；{} 自行计算界限。</translation>
    </message>
    <message>
        <source>{} features without a value are a category of their own.</source>
        <translation>{} 个没有值的要素自成一类。</translation>
    </message>
    <message>
        <source>The layer of this style is no longer in the project.</source>
        <translation>此样式的图层已不在工程中。</translation>
    </message>
    <message>
        <source>Save the style in QGIS first, or use another layer.</source>
        <translation>请先在 QGIS 中保存样式，或使用其他图层。</translation>
    </message>
    <message>
        <source>Nothing is to be taken back.</source>
        <translation>没有可撤回的内容。</translation>
    </message>
    <message>
        <source>Set the style in QGIS.</source>
        <translation>请在 QGIS 中设置样式。</translation>
    </message>
    <message>
        <source>The present style of &apos;{}&apos; cannot be kept, so it is not changed.</source>
        <translation>无法保留“{}”的当前样式，因此没有更改它。</translation>
    </message>
    <message>
        <source>The earlier style could not be set: {}</source>
        <translation>无法恢复之前的样式：{}</translation>
    </message>
    <message>
        <source>The style change &apos;{}&apos; is not known.</source>
        <translation>没有样式更改“{}”。</translation>
    </message>
    <message>
        <source>Area (km²)</source>
        <translation>面积（km²）</translation>
    </message>
    <message>
        <source>Length (m)</source>
        <translation>长度（m）</translation>
    </message>
    <message>
        <source>The project has no ellipsoid, so this cannot be measured on the ground.</source>
        <translation>工程没有椭球体，因此无法按地面实际量测。</translation>
    </message>
    <message>
        <source>Use a number field of the layer.</source>
        <translation>请使用图层的数值字段。</translation>
    </message>
    <message>
        <source>Set the layer&apos;s CRS in QGIS first.</source>
        <translation>请先在 QGIS 中设置图层的坐标参照系。</translation>
    </message>
    <message>
        <source>Choose an ellipsoid in Project &gt; Properties &gt; General (for example WGS 84).</source>
        <translation>请在 工程 &gt; 属性 &gt; 常规 中选择椭球体（例如 WGS 84）。</translation>
    </message>
    <message>
        <source>{} needs a {} layer.</source>
        <translation>{} 需要{}图层。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no CRS, so its size on the ground is unknown.</source>
        <translation>图层“{}”没有坐标参照系，因此不知道它在地面上的大小。</translation>
    </message>
    <message>
        <source>No value</source>
        <translation>无值</translation>
    </message>
    <message>
        <source>Try another method or palette.</source>
        <translation>请尝试其他方法或色带。</translation>
    </message>
    <message>
        <source>QGIS did not take the new style of &apos;{}&apos; over; the earlier style is kept.</source>
        <translation>QGIS 没有采用“{}”的新样式；之前的样式已保留。</translation>
    </message>
    <message>
        <source>Use method graduated.</source>
        <translation>请使用 graduated 方法。</translation>
    </message>
    <message>
        <source>{} is a measure and makes no categories.</source>
        <translation>{} 是量测值，不能形成类别。</translation>
    </message>
    <message>
        <source>Use a text or number field.</source>
        <translation>请使用文本或数值字段。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; has more than {} different values.</source>
        <translation>字段“{}”的不同值多于 {} 个。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; holds lists or binary data, which make no categories.</source>
        <translation>字段“{}”包含列表或二进制数据，不能形成类别。</translation>
    </message>
    <message>
        <source>No features are selected.</source>
        <translation>没有选中要素。</translation>
    </message>
    <message>
        <source>It was so already.</source>
        <translation>原本就是如此。</translation>
    </message>
    <message>
        <source>The map&apos;s CRS ends at 180°, so only one side of it is shown.</source>
        <translation>地图的坐标参照系止于 180°，因此只显示其一侧。</translation>
    </message>
    <message>
        <source>bbox is not a box in degrees.</source>
        <translation>bbox 不是以度为单位的范围。</translation>
    </message>
    <message>
        <source>Reading geometry</source>
        <translation>正在读取几何图形</translation>
    </message>
    <message>
        <source>No feature matches.</source>
        <translation>没有符合条件的要素。</translation>
    </message>
    <message>
        <source>Let the person choose the layer, then call again with layer_id.</source>
        <translation>请让用户选择图层，然后带 layer_id 再次调用。</translation>
    </message>
    <message>
        <source>Select the features on the map, or name them.</source>
        <translation>请在地图上选中要素，或说出它们的名称。</translation>
    </message>
    <message>
        <source>Use query_features to look at its fields.</source>
        <translation>请用 query_features 查看它的字段。</translation>
    </message>
    <message>
        <source>zoom_to needs either layer_id (with or without where) or bbox.</source>
        <translation>zoom_to 需要 layer_id（可带 where）或 bbox。</translation>
    </message>
    <message>
        <source>Reading rows</source>
        <translation>正在读取行</translation>
    </message>
    <message>
        <source>limit {} was lowered to {}.</source>
        <translation>limit {} 已降为 {}。</translation>
    </message>
    <message>
        <source>it has no CRS: distances and places cannot be computed</source>
        <translation>它没有坐标参照系：无法计算距离和位置</translation>
    </message>
    <message>
        <source>it is being edited</source>
        <translation>正在编辑中</translation>
    </message>
    <message>
        <source>Counting</source>
        <translation>正在计数</translation>
    </message>
    <message>
        <source>Reading the selection</source>
        <translation>正在读取选择集</translation>
    </message>
    <message>
        <source>&apos;{}&apos; can mean features of {} layers.</source>
        <translation>“{}”可能指 {} 个图层中的要素。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no field with names or codes.</source>
        <translation>图层“{}”没有包含名称或代码的字段。</translation>
    </message>
    <message>
        <source>No feature of the project is called &apos;{}&apos;.</source>
        <translation>工程中没有名为“{}”的要素。</translation>
    </message>
    <message>
        <source>Add it to the layer tree in QGIS.</source>
        <translation>请在 QGIS 中把它加入图层树。</translation>
    </message>
    <message>
        <source>Groups switched on with it: {}.</source>
        <translation>同时打开的组：{}。</translation>
    </message>
    <message>
        <source>Give one of the two.</source>
        <translation>请二者选一。</translation>
    </message>
    <message>
        <source>The main part is shown; {} parts farther away are not (the largest around {:.1f}, {:.1f}).</source>
        <translation>显示的是主要部分；较远的 {} 个部分没有显示（最大的在 {:.1f}, {:.1f} 附近）。</translation>
    </message>
    <message>
        <source>{} features are selected, not {}.</source>
        <translation>选中了 {} 个要素，而不是 {} 个。</translation>
    </message>
    <message>
        <source>Looking for places</source>
        <translation>正在查找地点</translation>
    </message>
    <message>
        <source>Nothing is selected; &apos;{}&apos; has exactly {} that fit, so these are taken.</source>
        <translation>没有选中任何要素；“{}”恰好有 {} 个符合，因此采用它们。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; is not in the layer tree.</source>
        <translation>图层“{}”不在图层树中。</translation>
    </message>
    <message>
        <source>Change the project CRS, for example to EPSG:4326.</source>
        <translation>请更改工程的坐标参照系，例如改为 EPSG:4326。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no CRS, so nobody knows where it is.</source>
        <translation>图层“{}”没有坐标参照系，因此不知道它位于何处。</translation>
    </message>
    <message>
        <source>No feature of &apos;{}&apos; with a geometry matches.</source>
        <translation>“{}”中没有符合条件且带几何图形的要素。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has nothing to show.</source>
        <translation>图层“{}”没有可显示的内容。</translation>
    </message>
    <message>
        <source>The layer&apos;s filter is in force.</source>
        <translation>图层的过滤器正在起作用。</translation>
    </message>
    <message>
        <source>a filter is in force: {}</source>
        <translation>过滤器正在起作用：{}</translation>
    </message>
    <message>
        <source>This place cannot be shown in the map&apos;s CRS ({}).</source>
        <translation>该地点无法以地图的坐标参照系（{}）显示。</translation>
    </message>
    <message>
        <source>Let the person choose from data.options.</source>
        <translation>请让用户从 data.options 中选择。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; can mean {} places.</source>
        <translation>“{}”可能指 {} 个地点。</translation>
    </message>
    <message>
        <source>Checking the buffers</source>
        <translation>正在检查缓冲区</translation>
    </message>
    <message>
        <source>Looking at the features</source>
        <translation>正在查看要素</translation>
    </message>
    <message>
        <source>There are no points to count.</source>
        <translation>没有可计数的点。</translation>
    </message>
    <message>
        <source>Reading the result</source>
        <translation>正在读取结果</translation>
    </message>
    <message>
        <source>No point lies inside a polygon: check the CRS of both layers.</source>
        <translation>没有点位于面内：请检查两个图层的坐标参照系。</translation>
    </message>
    <message>
        <source>{} multipoint features were taken apart: each of their points counts.</source>
        <translation>{} 个多点要素已拆开：它们的每个点都计数。</translation>
    </message>
    <message>
        <source>{} of {} points lie outside of all polygons.</source>
        <translation>{1} 个点中有 {0} 个位于所有面之外。</translation>
    </message>
    <message>
        <source>{} points lie exactly on a border; QGIS counts such a point in no polygon that it borders.</source>
        <translation>{} 个点恰好在边界上；QGIS 不把这样的点计入与它相邻的任何面。</translation>
    </message>
    <message>
        <source>Polygons overlap: {} points too many in the total, because they lie in several polygons.</source>
        <translation>面有重叠：总数多出 {} 个点，因为它们位于多个面内。</translation>
    </message>
    <message>
        <source>Write a new file?</source>
        <translation>写入新文件？</translation>
    </message>
    <message>
        <source>Nothing is written yet: a person must agree, then commit_action writes it.</source>
        <translation>尚未写入：必须先由人同意，然后由 commit_action 写入。</translation>
    </message>
    <message>
        <source>Try another format (GPKG keeps most) or another folder.</source>
        <translation>请尝试其他格式（GPKG 保留的内容最多）或其他文件夹。</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>要素数</translation>
    </message>
    <message>
        <source>New file</source>
        <translation>新文件</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>CRS</source>
        <translation>坐标参照系</translation>
    </message>
    <message>
        <source>Overwrites</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>nothing: the file is new</source>
        <translation>无：文件是新的</translation>
    </message>
    <message>
        <source>The file that was written cannot be read.</source>
        <translation>无法读取写入的文件。</translation>
    </message>
    <message>
        <source>The file was not written: {}</source>
        <translation>文件没有写入：{}</translation>
    </message>
    <message>
        <source>Leave crs out, or use the format GPKG.</source>
        <translation>请去掉 crs，或使用 GPKG 格式。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Filter in force</source>
        <translation>起作用的过滤器</translation>
    </message>
    <message>
        <source>Prepare the export again with another name.</source>
        <translation>请用其他名称重新准备导出。</translation>
    </message>
    <message>
        <source>Checking what was written</source>
        <translation>正在检查写入的内容</translation>
    </message>
    <message>
        <source>{} features, {}</source>
        <translation>{} 个要素，{}</translation>
    </message>
    <message>
        <source>The writer gave no reason.</source>
        <translation>写入程序没有给出原因。</translation>
    </message>
    <message>
        <source>Coordinates cannot be converted to &apos;{}&apos;.</source>
        <translation>坐标无法转换到“{}”。</translation>
    </message>
    <message>
        <source>The file &apos;{}&apos; exists now and is not overwritten.</source>
        <translation>文件“{}”现在已存在，不会覆盖。</translation>
    </message>
    <message>
        <source>Use the ending {} or another format.</source>
        <translation>请使用后缀 {} 或其他格式。</translation>
    </message>
    <message>
        <source>Known here: {}.</source>
        <translation>此处已知：{}。</translation>
    </message>
    <message>
        <source>{} of {} features were written.</source>
        <translation>{1} 个要素中只写入了 {0} 个。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; exists now.</source>
        <translation>“{}”现在已存在。</translation>
    </message>
    <message>
        <source>Question: {text}</source>
        <translation>问题：{text}</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>This takes about a minute.</source>
        <translation>大约需要一分钟。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Setting up the agent environment</source>
        <translation>正在设置智能体环境</translation>
    </message>
    <message>
        <source>This cannot be taken back by the agent.</source>
        <translation>智能体无法撤回这一操作。</translation>
    </message>
    <message>
        <source>Arguments of the call</source>
        <translation>调用的参数</translation>
    </message>
    <message>
        <source>QGIS Agent asks</source>
        <translation>QGIS Agent 询问</translation>
    </message>
    <message>
        <source>What would happen</source>
        <translation>将会发生什么</translation>
    </message>
    <message>
        <source>Allow for this session</source>
        <translation>本次会话中允许</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation>允许一次</translation>
    </message>
    <message>
        <source>Don&apos;t write</source>
        <translation>不写入</translation>
    </message>
    <message>
        <source>Don&apos;t allow</source>
        <translation>不允许</translation>
    </message>
    <message>
        <source>Asked by</source>
        <translation>请求方</translation>
    </message>
    <message>
        <source>Ask, or say what to do…</source>
        <translation>提问，或说出要做什么…</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Go to the newest message</source>
        <translation>转到最新消息</translation>
    </message>
    <message>
        <source>The agent process ended</source>
        <translation>智能体进程已结束</translation>
    </message>
    <message>
        <source>What was said is kept. Send the request again to go on.</source>
        <translation>已说的内容都保留着。要继续，请重新发送请求。</translation>
    </message>
    <message>
        <source>QGIS Agent</source>
        <translation>QGIS Agent</translation>
    </message>
    <message>
        <source>The agent runs in a Python environment of its own, apart from QGIS&apos;s. It is built once, in your QGIS profile folder, and needs the internet or a folder of wheels.</source>
        <translation>智能体在自己的 Python 环境中运行，与 QGIS 的 Python 分开。该环境只需在您的 QGIS 配置文件夹中构建一次，需要互联网或 wheel 文件夹。</translation>
    </message>
    <message>
        <source>Set up the agent environment</source>
        <translation>设置智能体环境</translation>
    </message>
    <message>
        <source>The agent process was started again. The conversation goes on.</source>
        <translation>智能体进程已重新启动，对话可以继续。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>The agent is not available</source>
        <translation>智能体不可用</translation>
    </message>
    <message>
        <source>Ask about the layers of this project, or say what to do with them. Every step is shown here, and nothing is written to a file unless you click Write.</source>
        <translation>可以询问本工程的图层，或说出要对它们做什么。每一步都会显示在这里；除非您点击“写入”，否则不会写入任何文件。</translation>
    </message>
    <message>
        <source>What should the map show?</source>
        <translation>地图要显示什么？</translation>
    </message>
    <message>
        <source>For example, in this project:</source>
        <translation>例如，在本工程中：</translation>
    </message>
    <message>
        <source>Colour {layer} by {field}, 5 classes, quantile</source>
        <translation>把{layer}按{field}分5级着色，分位数</translation>
    </message>
    <message>
        <source>How many {layer} are there?</source>
        <translation>{layer}有多少个？</translation>
    </message>
    <message>
        <source>Buffer {layer} 500 m</source>
        <translation>{layer}缓冲500米</translation>
    </message>
    <message>
        <source>Show {layer}</source>
        <translation>显示{layer}</translation>
    </message>
    <message>
        <source>Zoom to {layer}</source>
        <translation>缩放到{layer}</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Not from a tool result, so not checked: {numbers}</source>
        <translation>不是来自工具结果，因此未经核对：{numbers}</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>证据</translation>
    </message>
    <message>
        <source>Evidence ({count})</source>
        <translation>证据（{count}）</translation>
    </message>
    <message>
        <source>Show all {count} entries</source>
        <translation>显示全部 {count} 项</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>The agent may then offer to write a layer to a file. Each file is shown to you first and is written only when you click Write.</source>
        <translation>智能体可以提出把图层写入文件。每个文件都会先显示给您，只有您点击“写入”时才会写入。</translation>
    </message>
    <message>
        <source>Allow file export</source>
        <translation>允许导出文件</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Take the waiting message back into the field (Up)</source>
        <translation>把等待中的消息取回输入框（↑）</translation>
    </message>
    <message>
        <source>Next: {text}</source>
        <translation>接下来：{text}</translation>
    </message>
    <message>
        <source>This request did not succeed</source>
        <translation>这个请求没有成功</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>This number is not from a tool result.</source>
        <translation>这个数字不是来自工具结果。</translation>
    </message>
    <message>
        <source>Working…</source>
        <translation>处理中…</translation>
    </message>
    <message>
        <source>Copy the answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Stopped at the budget</source>
        <translation>达到上限后停止</translation>
    </message>
    <message>
        <source>Halted</source>
        <translation>已中止</translation>
    </message>
    <message>
        <source>Ended early</source>
        <translation>提前结束</translation>
    </message>
    <message>
        <source>Waiting for your answer</source>
        <translation>等待您的回答</translation>
    </message>
    <message>
        <source>Working… {duration}</source>
        <translation>处理中… {duration}</translation>
    </message>
    <message>
        <source>Steps: {count}</source>
        <translation>步骤：{count}</translation>
    </message>
    <message>
        <source>Stop (Esc)</source>
        <translation>停止（Esc）</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>发送（Enter）</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Not available</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>&lt; 0.1 s</source>
        <translation>&lt; 0.1 秒</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} 分 {seconds} 秒</translation>
    </message>
    <message>
        <source>running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>You said: {text}</source>
        <translation>您说：{text}</translation>
    </message>
    <message>
        <source>The agent environment could not be built</source>
        <translation>无法构建智能体环境</translation>
    </message>
    <message>
        <source>Show or hide the QGIS Agent panel</source>
        <translation>显示或隐藏 QGIS Agent 面板</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>The build was stopped.</source>
        <translation>构建已停止。</translation>
    </message>
    <message>
        <source>Who answers</source>
        <translation>由谁回答</translation>
    </message>
    <message>
        <source>Offline commands, without a model</source>
        <translation>离线命令，不用模型</translation>
    </message>
    <message>
        <source>A language model</source>
        <translation>语言模型</translation>
    </message>
    <message>
        <source>name of the model</source>
        <translation>模型名称</translation>
    </message>
    <message>
        <source>Only until QGIS closes</source>
        <translation>只保留到 QGIS 关闭</translation>
    </message>
    <message>
        <source>Encrypted in QGIS&apos;s authentication database</source>
        <translation>加密保存在 QGIS 的认证数据库中</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>忘记密钥</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Keep the key</source>
        <translation>密钥的保存方式</translation>
    </message>
    <message>
        <source>Agent environment</source>
        <translation>智能体环境</translation>
    </message>
    <message>
        <source>A key for this address is stored. Leave the field empty to keep it.</source>
        <translation>已保存用于此地址的密钥。要保留它，请把输入框留空。</translation>
    </message>
    <message>
        <source>Short commands in English or Chinese, such as “zoom to …” or “buffer … 500 m”. Nothing leaves this computer.</source>
        <translation>英文或中文的简短命令，例如“缩放到…”或“…缓冲500米”。任何内容都不会离开这台计算机。</translation>
    </message>
    <message>
        <source>A key for this address is known until QGIS closes.</source>
        <translation>用于此地址的密钥保留到 QGIS 关闭为止。</translation>
    </message>
    <message>
        <source>Ready: {folder}</source>
        <translation>就绪：{folder}</translation>
    </message>
    <message>
        <source>QGIS&apos;s authentication database is switched off: a key is kept until QGIS closes.</source>
        <translation>QGIS 的认证数据库已关闭：密钥保留到 QGIS 关闭为止。</translation>
    </message>
    <message>
        <source>Open link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Open this address in your web browser?</source>
        <translation>在网页浏览器中打开此地址吗？</translation>
    </message>
    <message>
        <source>Ask the agent</source>
        <translation>询问智能体</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Report (JSON)</source>
        <translation>报告（JSON）</translation>
    </message>
    <message>
        <source>It took too long.</source>
        <translation>用时过长。</translation>
    </message>
    <message>
        <source>Geodesic buffer</source>
        <translation>测地线缓冲区</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>矢量</translation>
    </message>
    <message>
        <source>Buffered</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>Distance (metres)</source>
        <translation>距离（米）</translation>
    </message>
    <message>
        <source>Segments of a quarter circle</source>
        <translation>四分之一圆的分段数</translation>
    </message>
    <message>
        <source>The layer has no CRS, so metres are unknown.</source>
        <translation>图层没有坐标参照系，因此无法确定米。</translation>
    </message>
    <message>
        <source>The buffer of feature {} has no place in the layer&apos;s CRS (too near a pole?).</source>
        <translation>要素 {} 的缓冲区在图层的坐标参照系中没有位置（离极点太近？）。</translation>
    </message>
    <message>
        <source>Asking you a question</source>
        <translation>正在向您提问</translation>
    </message>
    <message>
        <source>Buffering {layer_id}</source>
        <translation>正在为 {layer_id} 建立缓冲区</translation>
    </message>
    <message>
        <source>Carrying out the prepared write</source>
        <translation>正在执行已准备的写入</translation>
    </message>
    <message>
        <source>Counting {layer_id}</source>
        <translation>正在统计 {layer_id}</translation>
    </message>
    <message>
        <source>Reading about {layer_id}</source>
        <translation>正在读取 {layer_id} 的信息</translation>
    </message>
    <message>
        <source>Reading more rows</source>
        <translation>正在读取更多行</translation>
    </message>
    <message>
        <source>Reading the style of {layer_id}</source>
        <translation>正在读取 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Preparing the export of {layer_id}</source>
        <translation>正在准备导出 {layer_id}</translation>
    </message>
    <message>
        <source>Querying {layer_id}</source>
        <translation>正在查询 {layer_id}</translation>
    </message>
    <message>
        <source>Looking for the place {text}</source>
        <translation>正在查找地点 {text}</translation>
    </message>
    <message>
        <source>Looking for layers: {query}</source>
        <translation>正在查找图层：{query}</translation>
    </message>
    <message>
        <source>Styling {layer_id}</source>
        <translation>正在设置 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Counting {layer_id} by {polygon_layer_id}</source>
        <translation>正在按 {polygon_layer_id} 统计 {layer_id}</translation>
    </message>
    <message>
        <source>Switching {layer_id}</source>
        <translation>正在切换 {layer_id} 的显示</translation>
    </message>
    <message>
        <source>Moving the map</source>
        <translation>正在移动地图</translation>
    </message>
    <message>
        <source>offline commands</source>
        <translation>离线命令</translation>
    </message>
    <message>
        <source>A layer of the analysis has been removed meanwhile.</source>
        <translation>分析所用的一个图层在此期间被移除了。</translation>
    </message>
    <message>
        <source>Start again with a layer that is in the project.</source>
        <translation>请用工程中现有的图层重新开始。</translation>
    </message>
    <message>
        <source>Buffers features by metres on the WGS 84 ellipsoid, whatever the layer&apos;s CRS is. With 12 or more segments the radius is within 0.35 % of the geodesic distance. Buffers that cross 180° are cut there.</source>
        <translation>按 WGS 84 椭球面上的米数为要素生成缓冲区，与图层的坐标系无关。分段数不少于 12 时，半径与测地距离之差不超过 0.35 %。跨越 180° 的缓冲区在该处断开。</translation>
    </message>
    <message>
        <source>The agent environment has to be set up</source>
        <translation>需要设置智能体环境</translation>
    </message>
    <message>
        <source>The notes of this project ({}) were not read. {}</source>
        <translation>未读取此工程的笔记（{}）。{}</translation>
    </message>
    <message>
        <source>It is a link, and links are not followed.</source>
        <translation>它是链接，不跟随链接。</translation>
    </message>
    <message>
        <source>It lies outside the project&apos;s folder.</source>
        <translation>它位于工程文件夹之外。</translation>
    </message>
    <message>
        <source>It is not a regular file.</source>
        <translation>它不是普通文件。</translation>
    </message>
    <message>
        <source>It is larger than {} KB.</source>
        <translation>它大于 {} KB。</translation>
    </message>
    <message>
        <source>It is not JSON: {}</source>
        <translation>它不是 JSON：{}</translation>
    </message>
    <message>
        <source>It cannot be read: {}</source>
        <translation>无法读取：{}</translation>
    </message>
    <message>
        <source>Agent settings of this project</source>
        <translation>此工程的智能体设置</translation>
    </message>
    <message>
        <source>This project brings settings for the agent. They came with the project and may be anyone&apos;s. Without your yes they can only make the agent stricter; with it they can also give it more steps, tools and instructions. Writing files is asked for every time in any case. If the file changes, your yes ends.</source>
        <translation>此工程带有智能体设置。这些设置随工程而来，可能出自任何人。未经您同意，它们只能收紧对智能体的限制；经您同意后，它们还可以给智能体更多的步骤、工具和指令。写入文件在任何情况下都会每次询问。文件一旦更改，您的同意即失效。</translation>
    </message>
    <message>
        <source>This project brings no agent settings ({} in its folder).</source>
        <translation>此工程没有智能体设置（其文件夹中的 {}）。</translation>
    </message>
    <message>
        <source>All settings of the file</source>
        <translation>文件中的全部设置</translation>
    </message>
    <message>
        <source>No longer trust it</source>
        <translation>不再信任</translation>
    </message>
    <message>
        <source>Trust these settings</source>
        <translation>信任这些设置</translation>
    </message>
    <message>
        <source>The agent settings of this project are not used. {}</source>
        <translation>未使用此工程的智能体设置。{}</translation>
    </message>
    <message>
        <source>Trust this project&apos;s agent settings…</source>
        <translation>信任此工程的智能体设置…</translation>
    </message>
    <message>
        <source>Exploring: {task}</source>
        <translation>正在了解：{task}</translation>
    </message>
    <message>
        <source>Making a plan</source>
        <translation>正在制定计划</translation>
    </message>
    <message>
        <source>Preparing a note</source>
        <translation>正在准备笔记</translation>
    </message>
    <message>
        <source>It cannot be written: {}</source>
        <translation>无法写入：{}</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Change the notes of this project?</source>
        <translation>更改此工程的笔记？</translation>
    </message>
    <message>
        <source>every conversation about this project</source>
        <translation>关于此工程的每次对话</translation>
    </message>
    <message>
        <source>Change your preferences?</source>
        <translation>更改您的偏好设置？</translation>
    </message>
    <message>
        <source>every conversation, in all projects</source>
        <translation>所有工程中的每次对话</translation>
    </message>
    <message>
        <source>your preferences, in the QGIS profile</source>
        <translation>您的偏好设置（QGIS 用户配置中）</translation>
    </message>
    <message>
        <source>There is no such line.</source>
        <translation>没有这一行。</translation>
    </message>
    <message>
        <source>Removes</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Adds</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>The notes have changed since the preview.</source>
        <translation>预览之后笔记已被更改。</translation>
    </message>
    <message>
        <source>The note is empty.</source>
        <translation>笔记内容为空。</translation>
    </message>
    <message>
        <source>Forgotten from the next message on.</source>
        <translation>从下一条消息起不再记住。</translation>
    </message>
    <message>
        <source>Remembered from the next message on.</source>
        <translation>从下一条消息起记住。</translation>
    </message>
    <message>
        <source>Kept in</source>
        <translation>保存位置</translation>
    </message>
    <message>
        <source>Used in</source>
        <translation>用于</translation>
    </message>
    <message>
        <source>Worded by</source>
        <translation>措辞来自</translation>
    </message>
    <message>
        <source>the agent, not you</source>
        <translation>智能体，而不是您</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>更改前</translation>
    </message>
    <message>
        <source>After</source>
        <translation>更改后</translation>
    </message>
    <message>
        <source>Prepare the note again; the person then decides anew.</source>
        <translation>请重新准备笔记，由用户再次决定。</translation>
    </message>
    <message>
        <source>Tell the person; they can repair or remove the file.</source>
        <translation>请告知用户：可以修复或删除该文件。</translation>
    </message>
    <message>
        <source>Tell the person; the folder may be read-only.</source>
        <translation>请告知用户：该文件夹可能是只读的。</translation>
    </message>
    <message>
        <source>Give one line of text.</source>
        <translation>请给出一行文字。</translation>
    </message>
    <message>
        <source>This line is there already; nothing was written.</source>
        <translation>这一行已经存在，没有写入。</translation>
    </message>
    <message>
        <source>The project has no folder yet, so it cannot have notes.</source>
        <translation>工程还没有文件夹，因此不能有笔记。</translation>
    </message>
    <message>
        <source>It reads back differently.</source>
        <translation>读回的内容不同。</translation>
    </message>
    <message>
        <source>Ask the person which line to remove first, or use fewer words.</source>
        <translation>请先询问用户删除哪一行，或缩短文字。</translation>
    </message>
    <message>
        <source>Nothing is kept there; there is nothing to remove.</source>
        <translation>那里没有任何内容，无需删除。</translation>
    </message>
    <message>
        <source>The notes of this project ({}) cannot be used. {}</source>
        <translation>无法使用此工程的笔记（{}）。{}</translation>
    </message>
    <message>
        <source>The note was not written. {}</source>
        <translation>笔记未写入。{}</translation>
    </message>
    <message>
        <source>Save the project first, or ask the person whether it counts in all projects.</source>
        <translation>请先保存工程，或询问用户是否适用于所有工程。</translation>
    </message>
    <message>
        <source>It is not text in UTF-8.</source>
        <translation>它不是 UTF-8 文本。</translation>
    </message>
    <message>
        <source>With this line there would be {} characters; {} are read.</source>
        <translation>加上这一行后共有 {} 个字符，而只读取 {} 个字符。</translation>
    </message>
    <message>
        <source>Give a whole line exactly. Nearest: {}.</source>
        <translation>请准确给出整行内容。最接近的：{}。</translation>
    </message>
    <message>
        <source>What was shown has changed since.</source>
        <translation>所展示的内容此后已发生变化。</translation>
    </message>
    <message>
        <source>Another call of this run has the same id.</source>
        <translation>本次运行中另有一个调用使用了相同的编号。</translation>
    </message>
    <message>
        <source>Give every call an id of its own.</source>
        <translation>请为每个调用使用各自的编号。</translation>
    </message>
    <message>
        <source>the chosen polygons</source>
        <translation>所选的面</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; was there already with these numbers.</source>
        <translation>图层“{}”已有相同的结果。</translation>
    </message>
    <message>
        <source>None of the {} points lies inside {}.</source>
        <translation>{} 个点都不在{}内。</translation>
    </message>
    <message>
        <source>Plan (nothing has been changed yet):</source>
        <translation>计划（尚未作任何更改）：</translation>
    </message>
    <message>
        <source>Apply plan</source>
        <translation>执行计划</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>the layer of step {number}</source>
        <translation>步骤 {number} 生成的图层</translation>
    </message>
    <message>
        <source>file {path}</source>
        <translation>文件 {path}</translation>
    </message>
    <message>
        <source>at most {count} features</source>
        <translation>最多 {count} 个要素</translation>
    </message>
    <message>
        <source>Apply the plan.</source>
        <translation>执行计划。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Asked you a question</source>
        <translation>已向您提问</translation>
    </message>
    <message>
        <source>Buffered {layer_id}</source>
        <translation>已为 {layer_id} 建立缓冲区</translation>
    </message>
    <message>
        <source>Carried out the prepared write</source>
        <translation>已执行准备好的写入</translation>
    </message>
    <message>
        <source>Counted {layer_id}</source>
        <translation>已统计 {layer_id}</translation>
    </message>
    <message>
        <source>Read about {layer_id}</source>
        <translation>已查看 {layer_id} 的信息</translation>
    </message>
    <message>
        <source>Read more rows</source>
        <translation>已读取更多行</translation>
    </message>
    <message>
        <source>Read the style of {layer_id}</source>
        <translation>已读取 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Prepared the export of {layer_id}</source>
        <translation>已准备导出 {layer_id}</translation>
    </message>
    <message>
        <source>Prepared a note</source>
        <translation>已准备一条笔记</translation>
    </message>
    <message>
        <source>Queried {layer_id}</source>
        <translation>已查询 {layer_id}</translation>
    </message>
    <message>
        <source>Looked for the place {text}</source>
        <translation>已查找地点 {text}</translation>
    </message>
    <message>
        <source>Explored: {task}</source>
        <translation>已探索：{task}</translation>
    </message>
    <message>
        <source>Looked for layers: {query}</source>
        <translation>已查找图层：{query}</translation>
    </message>
    <message>
        <source>{layer_id}: styled</source>
        <translation>{layer_id}：样式已设置</translation>
    </message>
    <message>
        <source>Counted {layer_id} by {polygon_layer_id}</source>
        <translation>已按 {polygon_layer_id} 统计 {layer_id}</translation>
    </message>
    <message>
        <source>{layer_id}: switched on</source>
        <translation>{layer_id}：已显示</translation>
    </message>
    <message>
        <source>{layer_id}: switched off</source>
        <translation>{layer_id}：已隐藏</translation>
    </message>
    <message>
        <source>Made a plan</source>
        <translation>已制定计划</translation>
    </message>
    <message>
        <source>Moved the map</source>
        <translation>已移动地图</translation>
    </message>
    <message>
        <source>Add a layer with buffers of “{layer_id}”?</source>
        <translation>要添加“{layer_id}”的缓冲区图层吗？</translation>
    </message>
    <message>
        <source>Change the style of the layer “{layer_id}”?</source>
        <translation>要更改图层“{layer_id}”的样式吗？</translation>
    </message>
    <message>
        <source>Add a layer that counts “{layer_id}” by “{polygon_layer_id}”?</source>
        <translation>要添加按“{polygon_layer_id}”统计“{layer_id}”的图层吗？</translation>
    </message>
    <message>
        <source>Show the layer “{layer_id}”?</source>
        <translation>要显示图层“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Hide the layer “{layer_id}”?</source>
        <translation>要隐藏图层“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Move the map?</source>
        <translation>要移动地图吗？</translation>
    </message>
    <message>
        <source>Points outside of {}: {} of {}.</source>
        <translation>在{}之外的点：{} 个，共 {} 个。</translation>
    </message>
    <message>
        <source>{count} more steps were not run</source>
        <translation>另有 {count} 个步骤未执行</translation>
    </message>
    <message>
        <source>{count} more steps failed</source>
        <translation>另有 {count} 个步骤失败</translation>
    </message>
    <message>
        <source>A person must switch on writing files first (the box “Allow file export” in the panel, or --allow-write).</source>
        <translation>需先由用户开启文件写入（面板中的“允许导出文件”，或 --allow-write）。</translation>
    </message>
    <message>
        <source>[west, south, east, north]: longitudes from -180 to 180 (east up to 360 across the 180th meridian), latitudes from -90 to 90.</source>
        <translation>[西, 南, 东, 北]：经度 -180 到 180（跨越 180° 经线时东边界可到 360），纬度 -90 到 90。</translation>
    </message>
    <message>
        <source>Use query_features.</source>
        <translation>请使用 query_features。</translation>
    </message>
    <message>
        <source>Set the layer&apos;s CRS first (set_layer_crs).</source>
        <translation>请先设置图层的坐标参照系（set_layer_crs）。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is a table; its rows have no place.</source>
        <translation>“{}”是表；它的行没有位置。</translation>
    </message>
    <message>
        <source>The data of layer &apos;{}&apos; cannot be read: source not found or broken: {}</source>
        <translation>无法读取图层“{}”的数据：数据源不存在或已损坏：{}</translation>
    </message>
    <message>
        <source>adds a layer or a layout to the project</source>
        <translation>向工程添加图层或布局</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>x holds texts and numbers together, which have no order.</source>
        <translation>x 同时包含文本和数值，无法排序。</translation>
    </message>
    <message>
        <source>Rows with the same category are summed.</source>
        <translation>类别相同的行已求和。</translation>
    </message>
    <message>
        <source>Rows with the same x are averaged.</source>
        <translation>x 相同的行已取平均值。</translation>
    </message>
    <message>
        <source>A histogram is of one field.</source>
        <translation>直方图只用一个字段。</translation>
    </message>
    <message>
        <source>Use bar, or another x.</source>
        <translation>请使用 bar，或换一个 x。</translation>
    </message>
    <message>
        <source>Choose a field with values; summarize_field tells how many it has.</source>
        <translation>请选择有值的字段；summarize_field 会给出字段有多少个值。</translation>
    </message>
    <message>
        <source>Leave y out, or use bar or scatter.</source>
        <translation>请去掉 y，或使用 bar 或 scatter。</translation>
    </message>
    <message>
        <source>Give y, a number field; or use histogram for one field.</source>
        <translation>请给出 y（数值字段）；只有一个字段时请用 histogram。</translation>
    </message>
    <message>
        <source>There is no value to draw: {} rows, none with what the chart needs.</source>
        <translation>没有可绘制的值：共 {} 行，都没有图表所需的值。</translation>
    </message>
    <message>
        <source>{} of {} rows have no value and are left out.</source>
        <translation>有 {} 行没有值，已忽略（共 {} 行）。</translation>
    </message>
    <message>
        <source>The {} largest of {} categories have a bar.</source>
        <translation>只为最大的 {} 个类别绘制柱形（共 {} 个类别）。</translation>
    </message>
    <message>
        <source>The {} categories with most values of {} have a box.</source>
        <translation>只为值最多的 {} 个类别绘制箱形（共 {} 个类别）。</translation>
    </message>
    <message>
        <source>{} of {} points are drawn, evenly picked.</source>
        <translation>只绘制了均匀抽取的 {} 个点（共 {} 个）。</translation>
    </message>
    <message>
        <source>A chart of kind {} needs y.</source>
        <translation>{} 类型的图表需要 y。</translation>
    </message>
    <message>
        <source>{} others</source>
        <translation>其他 {} 个</translation>
    </message>
    <message>
        <source>is too large</source>
        <translation>太大</translation>
    </message>
    <message>
        <source>There is no operator &apos;{}&apos;.</source>
        <translation>没有运算符“{}”。</translation>
    </message>
    <message>
        <source>Operators: {}.</source>
        <translation>运算符：{}。</translation>
    </message>
    <message>
        <source>Run again with --approve (--allow-write DIR for files, --allow-network HOST for services), or in QGIS.</source>
        <translation>请加上 --approve 重新运行（文件用 --allow-write DIR，服务用 --allow-network HOST），或在 QGIS 中运行。</translation>
    </message>
    <message>
        <source>source cannot be read</source>
        <translation>无法读取数据源</translation>
    </message>
    <message>
        <source>source not found: {}</source>
        <translation>找不到数据源：{}</translation>
    </message>
    <message>
        <source>source cannot be read: {}</source>
        <translation>无法读取数据源：{}</translation>
    </message>
    <message>
        <source>source cannot be reached: {}</source>
        <translation>无法连接数据源：{}</translation>
    </message>
    <message>
        <source>Check the CRS of the layer (describe_layer); leave the feature out with where.</source>
        <translation>请检查图层的坐标参照系（describe_layer）；或用 where 排除该要素。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has coordinates that lie nowhere on earth in its layer&apos;s CRS.</source>
        <translation>按图层的坐标参照系，“{}”的坐标不在地球上的任何位置。</translation>
    </message>
    <message>
        <source>this service draws China in GCJ-02: WGS 84 data lies {} m beside it in the middle of the view. That is an offset, no CRS, and no EPSG code takes it away</source>
        <translation>此服务的中国地图采用 GCJ-02：在视图中央，WGS 84 数据与它相差 {} m。这是偏移，不是坐标参照系，任何 EPSG 代码都无法消除它</translation>
    </message>
    <message>
        <source>the joined table &apos;{}&apos; has {} keys in several rows; only one row of each is used</source>
        <translation>所连接的表“{}”中有 {} 个键出现在多行中；每个键只使用其中一行</translation>
    </message>
    <message>
        <source>it is temporary: its data is lost when QGIS closes, unless it is exported</source>
        <translation>它是临时图层：除非导出，否则关闭 QGIS 时其数据会丢失</translation>
    </message>
    <message>
        <source>it is not drawn at the present scale</source>
        <translation>它在当前比例尺下不绘制</translation>
    </message>
    <message>
        <source>it is being edited, with unsaved changes: only some tools see them</source>
        <translation>正在编辑中，有未保存的更改：只有部分工具能看到这些更改</translation>
    </message>
    <message>
        <source>{} of its geometries are invalid</source>
        <translation>它有 {} 个几何图形无效</translation>
    </message>
    <message>
        <source>its join with &apos;{}&apos; does not work: the table cannot be read</source>
        <translation>它与“{}”的连接不起作用：无法读取该表</translation>
    </message>
    <message>
        <source>Try another format or another folder.</source>
        <translation>请尝试其他格式或其他文件夹。</translation>
    </message>
    <message>
        <source>Ask the person to save or discard the edits; nothing was saved or discarded.</source>
        <translation>请让用户保存或放弃编辑；没有保存也没有放弃任何内容。</translation>
    </message>
    <message>
        <source>The filter is as it was. Use select_features instead.</source>
        <translation>过滤器保持原样。请改用 select_features。</translation>
    </message>
    <message>
        <source>Reading what is to stay</source>
        <translation>正在读取要保留的要素</translation>
    </message>
    <message>
        <source>Checking the filter</source>
        <translation>正在检查过滤器</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; is being edited ({}); QGIS sets no filter meanwhile.</source>
        <translation>图层“{}”正在编辑中（{}）；在此期间 QGIS 不能设置过滤器。</translation>
    </message>
    <message>
        <source>unsaved changes</source>
        <translation>有未保存的更改</translation>
    </message>
    <message>
        <source>no changes yet</source>
        <translation>尚无更改</translation>
    </message>
    <message>
        <source>Use select_features instead.</source>
        <translation>请改用 select_features。</translation>
    </message>
    <message>
        <source>Use select_features instead; the person can change the filter in QGIS.</source>
        <translation>请改用 select_features；用户可以在 QGIS 中更改过滤器。</translation>
    </message>
    <message>
        <source>The filter of &apos;{}&apos; would show {} features where {} match, so it was taken back.</source>
        <translation>“{}”的过滤器会显示 {} 个要素，而符合条件的有 {} 个，因此已撤回。</translation>
    </message>
    <message>
        <source>Layers of this kind ({}) cannot be filtered here.</source>
        <translation>此类图层（{}）在这里不能过滤。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has a whole query as its filter already.</source>
        <translation>图层“{}”的过滤器已是一条完整的查询语句。</translation>
    </message>
    <message>
        <source>Use select_features, which can, or a field of the layer&apos;s own data.</source>
        <translation>请使用 select_features（它可以使用该字段），或使用图层自身数据的字段。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; is virtual or joined; a filter cannot use it.</source>
        <translation>字段“{}”是虚拟字段或连接字段；过滤器不能使用它。</translation>
    </message>
    <message>
        <source>The data source of &apos;{}&apos; refused the filter. {}</source>
        <translation>“{}”的数据源拒绝了过滤器。{}</translation>
    </message>
    <message>
        <source>The project measures without an ellipsoid, so the scale bar is that of the plane.</source>
        <translation>工程不按椭球体量测，因此比例尺按平面计算。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not wholly on the page.</source>
        <translation>“{}”没有完全位于页面内。</translation>
    </message>
    <message>
        <source>The legend has {} entries and is longer than its place: hide layers or use a larger sheet.</source>
        <translation>图例有 {} 项，超出了它的位置：请隐藏一些图层，或使用更大的纸张。</translation>
    </message>
    <message>
        <source>Sources: {}</source>
        <translation>来源：{}</translation>
    </message>
    <message>
        <source>There is no print layout &apos;{}&apos;.</source>
        <translation>没有打印布局“{}”。</translation>
    </message>
    <message>
        <source>The project has no layout; make one with create_layout.</source>
        <translation>工程中没有布局；请用 create_layout 创建一个。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; and &apos;{}&apos; overlap.</source>
        <translation>“{}”与“{}”重叠。</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>文件是空的</translation>
    </message>
    <message>
        <source>the map on it is blank</source>
        <translation>其中的地图是空白的</translation>
    </message>
    <message>
        <source>Zoom the layout&apos;s map to where the layers are (set_layout_item), then export again.</source>
        <translation>请把布局的地图缩放到图层所在的位置（set_layout_item），然后重新导出。</translation>
    </message>
    <message>
        <source>the file is no SVG</source>
        <translation>文件不是 SVG</translation>
    </message>
    <message>
        <source>the picture is not {} by {} pixels</source>
        <translation>图片不是 {} × {} 像素</translation>
    </message>
    <message>
        <source>the PDF has {} pages, not {}</source>
        <translation>PDF 有 {} 页，而不是 {} 页</translation>
    </message>
    <message>
        <source>Add one with add_layout_item, kind map.</source>
        <translation>请用 add_layout_item 添加一个，kind 为 map。</translation>
    </message>
    <message>
        <source>The layout has no item &apos;{}&apos;.</source>
        <translation>布局中没有项目“{}”。</translation>
    </message>
    <message>
        <source>The layout &apos;{}&apos; has no map.</source>
        <translation>布局“{}”中没有地图。</translation>
    </message>
    <message>
        <source>Write the text without &apos;[%&apos;.</source>
        <translation>请在文本中不要使用“[%”。</translation>
    </message>
    <message>
        <source>The {} has &apos;[%&apos;, which QGIS would evaluate as an expression.</source>
        <translation>{} 中有“[%”，QGIS 会把它当作表达式求值。</translation>
    </message>
    <message>
        <source>Set its CRS first (set_layer_crs, when the person knows it).</source>
        <translation>请先设置它的坐标参照系（在用户知道时使用 set_layer_crs）。</translation>
    </message>
    <message>
        <source>Use a line layer (length), a polygon layer (area) or a point layer (distance).</source>
        <translation>请使用线图层（length）、面图层（area）或点图层（distance）。</translation>
    </message>
    <message>
        <source>{} does not go with &apos;{}&apos;, a {} layer.</source>
        <translation>{} 不适用于“{}”，它是 {} 图层。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no CRS, so nothing of it can be measured on the ground.</source>
        <translation>图层“{}”没有坐标参照系，因此无法按地面实际量测。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no geometry of one kind that could be measured.</source>
        <translation>图层“{}”没有可量测的单一类型几何图形。</translation>
    </message>
    <message>
        <source>Use method {} for this layer.</source>
        <translation>对此图层请使用 {} 方法。</translation>
    </message>
    <message>
        <source>You moved the map meanwhile, so it stays there. Click “Zoom to result” to go to it.</source>
        <translation>您在此期间移动了地图，因此地图保持原处。要转到结果，请点击“缩放到结果”。</translation>
    </message>
    <message>
        <source>The scale is locked in QGIS&apos;s status bar.</source>
        <translation>比例尺已在 QGIS 状态栏中锁定。</translation>
    </message>
    <message>
        <source>There is no earlier view.</source>
        <translation>没有更早的视图。</translation>
    </message>
    <message>
        <source>This view is not known.</source>
        <translation>没有这个视图。</translation>
    </message>
    <message>
        <source>Let the person unlock it.</source>
        <translation>请让用户解除锁定。</translation>
    </message>
    <message>
        <source>Use zoom_to for a place or a layer.</source>
        <translation>要转到地点或图层，请使用 zoom_to。</translation>
    </message>
    <message>
        <source>Ask again.</source>
        <translation>请重新提问。</translation>
    </message>
    <message>
        <source>Adding {kind} to {layout}</source>
        <translation>正在把 {kind} 添加到 {layout}</translation>
    </message>
    <message>
        <source>Adding {path}</source>
        <translation>正在添加 {path}</translation>
    </message>
    <message>
        <source>Asking the service {url}</source>
        <translation>正在请求服务 {url}</translation>
    </message>
    <message>
        <source>Adding the layer {name}</source>
        <translation>正在添加图层 {name}</translation>
    </message>
    <message>
        <source>Clearing the selection</source>
        <translation>正在清除选择</translation>
    </message>
    <message>
        <source>Clearing temporary layers</source>
        <translation>正在清除临时图层</translation>
    </message>
    <message>
        <source>Copying the style of {layer_id}</source>
        <translation>正在复制 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Making the layout {name}</source>
        <translation>正在创建布局 {name}</translation>
    </message>
    <message>
        <source>Reading layouts</source>
        <translation>正在读取布局</translation>
    </message>
    <message>
        <source>Looking at the map</source>
        <translation>正在查看地图</translation>
    </message>
    <message>
        <source>Grouping layers as {name}</source>
        <translation>正在将图层编入组 {name}</translation>
    </message>
    <message>
        <source>Highlighting in {layer_id}</source>
        <translation>正在高亮显示 {layer_id} 中的要素</translation>
    </message>
    <message>
        <source>Looking into {path}</source>
        <translation>正在查看 {path} 的内容</translation>
    </message>
    <message>
        <source>Listing files</source>
        <translation>正在列出文件</translation>
    </message>
    <message>
        <source>Listing values of {field}</source>
        <translation>正在列出 {field} 的值</translation>
    </message>
    <message>
        <source>Drawing a chart of {x}</source>
        <translation>正在绘制 {x} 的图表</translation>
    </message>
    <message>
        <source>Measuring {method}</source>
        <translation>正在量测 {method}</translation>
    </message>
    <message>
        <source>Changing the style of {layer_id}</source>
        <translation>正在更改 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Preparing the export of {layout}</source>
        <translation>正在准备导出 {layout}</translation>
    </message>
    <message>
        <source>Looking in {layer_id}</source>
        <translation>正在 {layer_id} 中查找</translation>
    </message>
    <message>
        <source>Reading the values of {x}</source>
        <translation>正在读取 {x} 的值</translation>
    </message>
    <message>
        <source>Renaming {layer_id}</source>
        <translation>正在重命名 {layer_id}</translation>
    </message>
    <message>
        <source>Moving {layer_id}</source>
        <translation>正在移动 {layer_id}</translation>
    </message>
    <message>
        <source>Finding out what is meant by {text}</source>
        <translation>正在确定 {text} 指什么</translation>
    </message>
    <message>
        <source>Putting the style of {layer_id} back</source>
        <translation>正在恢复 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Reading {layer_id} at points</source>
        <translation>正在读取 {layer_id} 在各点的值</translation>
    </message>
    <message>
        <source>Selecting in {layer_id}</source>
        <translation>正在 {layer_id} 中选择</translation>
    </message>
    <message>
        <source>Setting the CRS of {layer_id}</source>
        <translation>正在设置 {layer_id} 的坐标参照系</translation>
    </message>
    <message>
        <source>Reading the encoding of {layer_id}</source>
        <translation>正在读取 {layer_id} 的编码</translation>
    </message>
    <message>
        <source>Filtering {layer_id}</source>
        <translation>正在过滤 {layer_id}</translation>
    </message>
    <message>
        <source>Labelling {layer_id}</source>
        <translation>正在设置 {layer_id} 的标注</translation>
    </message>
    <message>
        <source>Changing {item_id} of {layout}</source>
        <translation>正在更改 {layout} 的 {item_id}</translation>
    </message>
    <message>
        <source>Setting the legend of {layer_id}</source>
        <translation>正在设置 {layer_id} 的图例</translation>
    </message>
    <message>
        <source>Setting the map view</source>
        <translation>正在设置地图视图</translation>
    </message>
    <message>
        <source>Summarising {field}</source>
        <translation>正在汇总 {field}</translation>
    </message>
    <message>
        <source>Added {kind} to {layout}</source>
        <translation>已把 {kind} 添加到 {layout}</translation>
    </message>
    <message>
        <source>Added {path}</source>
        <translation>已添加 {path}</translation>
    </message>
    <message>
        <source>Asked the service {url}</source>
        <translation>已请求服务 {url}</translation>
    </message>
    <message>
        <source>Added the layer {name}</source>
        <translation>已添加图层 {name}</translation>
    </message>
    <message>
        <source>Cleared the selection</source>
        <translation>已清除选择</translation>
    </message>
    <message>
        <source>Cleared temporary layers</source>
        <translation>已清除临时图层</translation>
    </message>
    <message>
        <source>Copied the style of {layer_id}</source>
        <translation>已复制 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Made the layout {name}</source>
        <translation>已创建布局 {name}</translation>
    </message>
    <message>
        <source>Read layouts</source>
        <translation>已读取布局</translation>
    </message>
    <message>
        <source>Looked at the map</source>
        <translation>已查看地图</translation>
    </message>
    <message>
        <source>Grouped layers as {name}</source>
        <translation>已将图层编入组 {name}</translation>
    </message>
    <message>
        <source>Highlighted in {layer_id}</source>
        <translation>已高亮显示 {layer_id} 中的要素</translation>
    </message>
    <message>
        <source>Looked into {path}</source>
        <translation>已查看 {path} 的内容</translation>
    </message>
    <message>
        <source>Listed files</source>
        <translation>已列出文件</translation>
    </message>
    <message>
        <source>Listed values of {field}</source>
        <translation>已列出 {field} 的值</translation>
    </message>
    <message>
        <source>Drew a chart of {x}</source>
        <translation>已绘制 {x} 的图表</translation>
    </message>
    <message>
        <source>Measured {method}</source>
        <translation>已量测 {method}</translation>
    </message>
    <message>
        <source>{layer_id}: style changed</source>
        <translation>{layer_id}：样式已更改</translation>
    </message>
    <message>
        <source>Prepared the export of {layout}</source>
        <translation>已准备导出 {layout}</translation>
    </message>
    <message>
        <source>Looked in {layer_id}</source>
        <translation>已在 {layer_id} 中查找</translation>
    </message>
    <message>
        <source>Read the values of {x}</source>
        <translation>已读取 {x} 的值</translation>
    </message>
    <message>
        <source>Renamed {layer_id}</source>
        <translation>已重命名 {layer_id}</translation>
    </message>
    <message>
        <source>Moved {layer_id}</source>
        <translation>已移动 {layer_id}</translation>
    </message>
    <message>
        <source>Found out what is meant by {text}</source>
        <translation>已确定 {text} 指什么</translation>
    </message>
    <message>
        <source>Put the style of {layer_id} back</source>
        <translation>已恢复 {layer_id} 的样式</translation>
    </message>
    <message>
        <source>Read {layer_id} at points</source>
        <translation>已读取 {layer_id} 在各点的值</translation>
    </message>
    <message>
        <source>Selected in {layer_id}</source>
        <translation>已在 {layer_id} 中选择</translation>
    </message>
    <message>
        <source>Set the CRS of {layer_id}</source>
        <translation>已设置 {layer_id} 的坐标参照系</translation>
    </message>
    <message>
        <source>Read the encoding of {layer_id}</source>
        <translation>已读取 {layer_id} 的编码</translation>
    </message>
    <message>
        <source>Filtered {layer_id}</source>
        <translation>已过滤 {layer_id}</translation>
    </message>
    <message>
        <source>Labelled {layer_id}</source>
        <translation>已设置 {layer_id} 的标注</translation>
    </message>
    <message>
        <source>Changed {item_id} of {layout}</source>
        <translation>已更改 {layout} 的 {item_id}</translation>
    </message>
    <message>
        <source>Set the legend of {layer_id}</source>
        <translation>已设置 {layer_id} 的图例</translation>
    </message>
    <message>
        <source>Set the map view</source>
        <translation>已设置地图视图</translation>
    </message>
    <message>
        <source>Summarised {field}</source>
        <translation>已汇总 {field}</translation>
    </message>
    <message>
        <source>Add {kind} to the layout “{layout}”?</source>
        <translation>要把 {kind} 添加到布局“{layout}”吗？</translation>
    </message>
    <message>
        <source>Add the raster “{path}” to the project?</source>
        <translation>要把栅格“{path}”添加到工程吗？</translation>
    </message>
    <message>
        <source>Connect to “{url}” and add a layer?</source>
        <translation>要连接到“{url}”并添加图层吗？</translation>
    </message>
    <message>
        <source>Add the table “{path}” to the project?</source>
        <translation>要把表“{path}”添加到工程吗？</translation>
    </message>
    <message>
        <source>Add the temporary layer “{name}”?</source>
        <translation>要添加临时图层“{name}”吗？</translation>
    </message>
    <message>
        <source>Add the file “{path}” to the project?</source>
        <translation>要把文件“{path}”添加到工程吗？</translation>
    </message>
    <message>
        <source>Clear the selection?</source>
        <translation>要清除选择吗？</translation>
    </message>
    <message>
        <source>Remove the temporary layers of the agent?</source>
        <translation>要移除智能体的临时图层吗？</translation>
    </message>
    <message>
        <source>Copy the style of the layer “{layer_id}” to other layers?</source>
        <translation>要把图层“{layer_id}”的样式复制到其他图层吗？</translation>
    </message>
    <message>
        <source>Add the layout “{name}”?</source>
        <translation>要添加布局“{name}”吗？</translation>
    </message>
    <message>
        <source>Put layers into the group “{name}”?</source>
        <translation>要把图层放入组“{name}”吗？</translation>
    </message>
    <message>
        <source>Highlight features of the layer “{layer_id}”?</source>
        <translation>要高亮显示图层“{layer_id}”的要素吗？</translation>
    </message>
    <message>
        <source>Rename the layer “{layer_id}” to “{name}”?</source>
        <translation>要把图层“{layer_id}”重命名为“{name}”吗？</translation>
    </message>
    <message>
        <source>Move the layer “{layer_id}” in the layer order?</source>
        <translation>要在图层顺序中移动图层“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Put the earlier style of the layer “{layer_id}” back?</source>
        <translation>要恢复图层“{layer_id}”之前的样式吗？</translation>
    </message>
    <message>
        <source>Change the selection in the layer “{layer_id}”?</source>
        <translation>要更改图层“{layer_id}”中的选择吗？</translation>
    </message>
    <message>
        <source>Assume the CRS {crs} for the layer “{layer_id}”?</source>
        <translation>要假定图层“{layer_id}”的坐标参照系为 {crs} 吗？</translation>
    </message>
    <message>
        <source>Read the layer “{layer_id}” with another encoding?</source>
        <translation>要用其他编码读取图层“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Filter the layer “{layer_id}”?</source>
        <translation>要过滤图层“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Change the labels of the layer “{layer_id}”?</source>
        <translation>要更改图层“{layer_id}”的标注吗？</translation>
    </message>
    <message>
        <source>Change “{item_id}” of the layout “{layout}”?</source>
        <translation>要更改布局“{layout}”的“{item_id}”吗？</translation>
    </message>
    <message>
        <source>Change the legend of the layer “{layer_id}”?</source>
        <translation>要更改图层“{layer_id}”的图例吗？</translation>
    </message>
    <message>
        <source>Band {}: the value {} ({} cells, {:.1f} %) looks like undeclared nodata; it is counted as a value.</source>
        <translation>波段 {}：值 {}（{} 个像元，{:.1f} %）看起来是未声明的无数据值；目前按普通值计入。</translation>
    </message>
    <message>
        <source>There is no band {}: the raster has {}.</source>
        <translation>没有波段 {}：该栅格有 {} 个波段。</translation>
    </message>
    <message>
        <source>Use a raster file, or export the part that is needed.</source>
        <translation>请使用栅格文件，或导出所需的部分。</translation>
    </message>
    <message>
        <source>Use another band.</source>
        <translation>请使用其他波段。</translation>
    </message>
    <message>
        <source>The file is damaged or cut off; look for a complete copy.</source>
        <translation>文件已损坏或不完整；请查找完整的副本。</translation>
    </message>
    <message>
        <source>Give a band from 1 to {}.</source>
        <translation>请给出 1 到 {} 之间的波段。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; comes from a service: it shows pictures, its cells cannot be read.</source>
        <translation>“{}”来自服务：它只显示图片，无法读取其像元。</translation>
    </message>
    <message>
        <source>Band {} holds complex numbers, which have no order.</source>
        <translation>波段 {} 包含复数，无法排序。</translation>
    </message>
    <message>
        <source>The cells of band {} cannot be read: {}</source>
        <translation>无法读取波段 {} 的像元：{}</translation>
    </message>
    <message>
        <source>Looking for features</source>
        <translation>正在查找要素</translation>
    </message>
    <message>
        <source>The selection was changed meanwhile; try again.</source>
        <translation>选择在此期间已被更改；请重试。</translation>
    </message>
    <message>
        <source>Ask the person: all features, or select some first.</source>
        <translation>请询问用户：使用全部要素，还是先选择一些。</translation>
    </message>
    <message>
        <source>{} features should be selected, {} are.</source>
        <translation>应选中 {} 个要素，实际选中了 {} 个。</translation>
    </message>
    <message>
        <source>No features of &apos;{}&apos; are selected.</source>
        <translation>“{}”中没有选中任何要素。</translation>
    </message>
    <message>
        <source>All features</source>
        <translation>全部要素</translation>
    </message>
    <message>
        <source>I select some first</source>
        <translation>我先选择一些</translation>
    </message>
    <message>
        <source>QGIS did not take the layer.</source>
        <translation>QGIS 没有接受该图层。</translation>
    </message>
    <message>
        <source>See QGIS&apos;s log.</source>
        <translation>请查看 QGIS 的日志。</translation>
    </message>
    <message>
        <source>It has no CRS, and none is guessed: a person must say which one it is (set_layer_crs).</source>
        <translation>它没有坐标参照系，也不会去猜测：必须由用户指明是哪一个（set_layer_crs）。</translation>
    </message>
    <message>
        <source>The data lies at {:.4f}, {:.4f} (lon, lat), far outside the area that {} is made for.</source>
        <translation>数据位于 {:.4f}, {:.4f}（经度，纬度），远在 {} 的适用范围之外。</translation>
    </message>
    <message>
        <source>Coordinates like ({:.1f}, {:.1f}) have no place on earth in {}.</source>
        <translation>像 ({:.1f}, {:.1f}) 这样的坐标，在 {} 中不对应地球上的任何位置。</translation>
    </message>
    <message>
        <source>The numbers are no degrees.</source>
        <translation>这些数不是度。</translation>
    </message>
    <message>
        <source>QGIS knows no CRS &apos;{}&apos;.</source>
        <translation>QGIS 没有坐标参照系“{}”。</translation>
    </message>
    <message>
        <source>The numbers could be degrees.</source>
        <translation>这些数可能是度。</translation>
    </message>
    <message>
        <source>For example {}.</source>
        <translation>例如 {}。</translation>
    </message>
    <message>
        <source>The coordinates ({:.1f}, {:.1f}) are no degrees, so the CRS is wrong: they are most likely metres of a projected CRS that the file does not name.</source>
        <translation>坐标 ({:.1f}, {:.1f}) 不是度，因此坐标参照系不对：它们很可能是某个投影坐标参照系的米数，而文件没有注明该坐标参照系。</translation>
    </message>
    <message>
        <source>Eastings in {} begin with the zone&apos;s number ({}), those of this data do not: it is most likely in {}.</source>
        <translation>{} 的东坐标以带号（{}）开头，而此数据的没有：它很可能使用 {}。</translation>
    </message>
    <message>
        <source>Latitudes beyond 90°: longitude and latitude are swapped in this data ({:g}, {:g}). Do not work with it before its source is put right.</source>
        <translation>纬度超过 90°：此数据的经度和纬度互换了 ({:g}, {:g})。在数据源更正之前，请不要使用它。</translation>
    </message>
    <message>
        <source>Eastings of this data begin with a zone&apos;s number ({}), which {} does not have: it is most likely in {}.</source>
        <translation>此数据的东坐标以带号（{}）开头，而 {} 的没有：它很可能使用 {}。</translation>
    </message>
    <message>
        <source>Swapped (lat, lon) it would fit.</source>
        <translation>互换后（纬度，经度）则相符。</translation>
    </message>
    <message>
        <source>Use inspect_data_file to see what it is.</source>
        <translation>请用 inspect_data_file 查看它是什么。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not text.</source>
        <translation>“{}”不是文本。</translation>
    </message>
    <message>
        <source>it redirects in a circle</source>
        <translation>重定向形成了循环</translation>
    </message>
    <message>
        <source>the answer is too big</source>
        <translation>应答太大</translation>
    </message>
    <message>
        <source>Ask whether that host may be used, and give its address.</source>
        <translation>请询问是否可以使用该主机，并给出它的地址。</translation>
    </message>
    <message>
        <source>Check the address and the kind (xyz, wms, wmts, wfs).</source>
        <translation>请检查地址和类型（xyz、wms、wmts、wfs）。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>请稍后重试。</translation>
    </message>
    <message>
        <source>{} leads on to another host: {}</source>
        <translation>{} 重定向到另一个主机：{}</translation>
    </message>
    <message>
        <source>The service gave no usable answer. {}</source>
        <translation>服务没有给出可用的应答。{}</translation>
    </message>
    <message>
        <source>{} did not answer in time.</source>
        <translation>{} 没有及时应答。</translation>
    </message>
    <message>
        <source>the archive is too big</source>
        <translation>压缩包太大</translation>
    </message>
    <message>
        <source>the archive is encrypted</source>
        <translation>压缩包已加密</translation>
    </message>
    <message>
        <source>Check that the file is whole; inspect_data_file tells what is in it.</source>
        <translation>请检查文件是否完整；inspect_data_file 会给出其中的内容。</translation>
    </message>
    <message>
        <source>Give the file that holds the data itself, or use add_service_layer.</source>
        <translation>请给出本身包含数据的文件，或使用 add_service_layer。</translation>
    </message>
    <message>
        <source>Replace the member “crs” of the file, or leave it out.</source>
        <translation>请替换文件中的成员“crs”，或去掉它。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has no format that can be read here{}.</source>
        <translation>“{}”的格式在此处无法读取{}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; cannot be read: {}</source>
        <translation>无法读取“{}”：{}</translation>
    </message>
    <message>
        <source>no reason given</source>
        <translation>没有给出原因</translation>
    </message>
    <message>
        <source>The archive has no file &apos;{}&apos;.</source>
        <translation>压缩包中没有文件“{}”。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; only refers to data elsewhere ({}).</source>
        <translation>“{}”只引用别处的数据（{}）。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; names its CRS by an address in the network.</source>
        <translation>“{}”用网络地址指定其坐标参照系。</translation>
    </message>
    <message>
        <source>Vector: {}. Raster: {}. Tables: CSV, XLSX, ODS.</source>
        <translation>矢量：{}。栅格：{}。表：CSV、XLSX、ODS。</translation>
    </message>
    <message>
        <source>Only shapefiles, .dbf and delimited text can have a wrong encoding; this format states its own.</source>
        <translation>只有 Shapefile、.dbf 和分隔文本的编码可能有误；此格式自带编码声明。</translation>
    </message>
    <message>
        <source>If the text is garbled all the same, it was saved so: ask for the original file.</source>
        <translation>如果文本仍是乱码，那么它保存时就是如此：请索取原始文件。</translation>
    </message>
    <message>
        <source>Ask which one is meant, and give path as “archive.zip/file”.</source>
        <translation>请询问指的是哪一个，并以“archive.zip/file”的形式给出 path。</translation>
    </message>
    <message>
        <source>The archive &apos;{}&apos; has {} data files.</source>
        <translation>压缩包“{}”中有 {} 个数据文件。</translation>
    </message>
    <message>
        <source>Opening {}</source>
        <translation>正在打开 {}</translation>
    </message>
    <message>
        <source>The archive &apos;{}&apos; has no data of this kind.</source>
        <translation>压缩包“{}”中没有此类数据。</translation>
    </message>
    <message>
        <source>It has: {}.</source>
        <translation>其中有：{}。</translation>
    </message>
    <message>
        <source>Give that file itself.</source>
        <translation>请直接给出该文件。</translation>
    </message>
    <message>
        <source>Cells of &apos;{}&apos; cannot be read: the file is damaged or cut off.</source>
        <translation>无法读取“{}”的像元：文件已损坏或不完整。</translation>
    </message>
    <message>
        <source>Look into it with inspect_data_file.</source>
        <translation>请用 inspect_data_file 查看其内容。</translation>
    </message>
    <message>
        <source>The part &apos;{}&apos; lies in another file.</source>
        <translation>“{}”这一部分位于另一个文件中。</translation>
    </message>
    <message>
        <source>QGIS cannot open &apos;{}&apos;: {}</source>
        <translation>QGIS 无法打开“{}”：{}</translation>
    </message>
    <message>
        <source>The address of a tile service has {x}, {y} and {z} in it.</source>
        <translation>切片服务的地址中含有 {x}、{y} 和 {z}。</translation>
    </message>
    <message>
        <source>min_zoom is above max_zoom.</source>
        <translation>min_zoom 大于 max_zoom。</translation>
    </message>
    <message>
        <source>it offers no layers</source>
        <translation>它没有提供任何图层</translation>
    </message>
    <message>
        <source>Ask which one is meant, and give its name as layer.</source>
        <translation>请询问指的是哪一个图层，并将其名称作为 layer 给出。</translation>
    </message>
    <message>
        <source>Try another layer or CRS of the service.</source>
        <translation>请尝试该服务的其他图层或坐标参照系。</translation>
    </message>
    <message>
        <source>For example https://host/{z}/{x}/{y}.png.</source>
        <translation>例如 https://host/{z}/{x}/{y}.png。</translation>
    </message>
    <message>
        <source>Swap them.</source>
        <translation>请对调两者。</translation>
    </message>
    <message>
        <source>The service has {} layers.</source>
        <translation>该服务有 {} 个图层。</translation>
    </message>
    <message>
        <source>Ask whether that host may be used, and give its own address.</source>
        <translation>请询问是否可以使用该主机，并给出它自己的地址。</translation>
    </message>
    <message>
        <source>QGIS cannot open the layer: {}</source>
        <translation>QGIS 无法打开图层：{}</translation>
    </message>
    <message>
        <source>The service has no layer &apos;{}&apos;.</source>
        <translation>该服务没有图层“{}”。</translation>
    </message>
    <message>
        <source>The service does not offer {}.</source>
        <translation>该服务不提供 {}。</translation>
    </message>
    <message>
        <source>The layer has no style &apos;{}&apos;.</source>
        <translation>该图层没有样式“{}”。</translation>
    </message>
    <message>
        <source>The layer has no tile matrix set &apos;{}&apos;.</source>
        <translation>该图层没有瓦片矩阵集“{}”。</translation>
    </message>
    <message>
        <source>Data of {} would come from other hosts: {}.</source>
        <translation>{} 的数据会来自其他主机：{}。</translation>
    </message>
    <message>
        <source>It offers: {}.</source>
        <translation>它提供：{}。</translation>
    </message>
    <message>
        <source>It is a {} service.</source>
        <translation>这是 {} 服务。</translation>
    </message>
    <message>
        <source>yes/no → 1/0</source>
        <translation>是/否 → 1/0</translation>
    </message>
    <message>
        <source>date and time → text</source>
        <translation>日期和时间 → 文本</translation>
    </message>
    <message>
        <source>time → text</source>
        <translation>时间 → 文本</translation>
    </message>
    <message>
        <source>64-bit integer → number; of more than {} digits only about 16 are kept</source>
        <translation>64 位整数 → 数值；超过 {} 位数字时只保留约 16 位</translation>
    </message>
    <message>
        <source>text → text of at most {} bytes</source>
        <translation>文本 → 最多 {} 字节的文本</translation>
    </message>
    <message>
        <source>{} → text</source>
        <translation>{} → 文本</translation>
    </message>
    <message>
        <source>Renamed fields</source>
        <translation>重命名的字段</translation>
    </message>
    <message>
        <source>Changed types</source>
        <translation>更改的类型</translation>
    </message>
    <message>
        <source>Values cut or rounded</source>
        <translation>被截断或舍入的值</translation>
    </message>
    <message>
        <source>Keeps all of it</source>
        <translation>可完整保留的格式</translation>
    </message>
    <message>
        <source>This is no address of a service.</source>
        <translation>这不是服务的地址。</translation>
    </message>
    <message>
        <source>A user name or password does not belong into an address.</source>
        <translation>地址中不应包含用户名或密码。</translation>
    </message>
    <message>
        <source>Give a whole address that begins with https:// or http://.</source>
        <translation>请给出以 https:// 或 http:// 开头的完整地址。</translation>
    </message>
    <message>
        <source>A person adds such a service in QGIS, with an authentication configuration.</source>
        <translation>此类服务需由用户在 QGIS 中通过认证配置添加。</translation>
    </message>
    <message>
        <source>Ask which one is meant, and give it as sublayer.</source>
        <translation>请询问指的是哪一个，并将其作为 sublayer 给出。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has no layer &apos;{}&apos;.</source>
        <translation>“{}”中没有图层“{}”。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has no layer with data.</source>
        <translation>“{}”中没有含数据的图层。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has {} layers.</source>
        <translation>“{}”有 {} 个图层。</translation>
    </message>
    <message>
        <source>Use a shorter part of it, or eq.</source>
        <translation>请使用其中较短的一部分，或使用 eq。</translation>
    </message>
    <message>
        <source>The text &apos;{}&apos; has too many letters with accents for a filter.</source>
        <translation>文本“{}”中带重音符号的字母太多，无法用于过滤器。</translation>
    </message>
    <message>
        <source>Use contains with a part without the backslash, or select instead.</source>
        <translation>请用 contains 匹配不含反斜杠的部分，或改为选择要素。</translation>
    </message>
    <message>
        <source>A filter of this layer cannot compare with {!r}.</source>
        <translation>此图层的过滤器无法与 {!r} 比较。</translation>
    </message>
    <message>
        <source>lacks value</source>
        <translation>缺少 value</translation>
    </message>
    <message>
        <source>Give value, or &quot;is_null&quot;: true.</source>
        <translation>请给出 value，或 &quot;is_null&quot;: true。</translation>
    </message>
    <message>
        <source>must be a text, a number, true or false</source>
        <translation>必须是文本、数值、true 或 false</translation>
    </message>
    <message>
        <source>alone does not compute new limits</source>
        <translation>单独更改时不会计算新的界限</translation>
    </message>
    <message>
        <source>Use set_render_rule: it takes the limits from the data.</source>
        <translation>请使用 set_render_rule：它会根据数据计算界限。</translation>
    </message>
    <message>
        <source>is not taken: expressions are a person&apos;s to write</source>
        <translation>不被接受：表达式只能由用户编写</translation>
    </message>
    <message>
        <source>Give a field.</source>
        <translation>请给出字段。</translation>
    </message>
    <message>
        <source>must be the name of a field</source>
        <translation>必须是字段名称</translation>
    </message>
    <message>
        <source>is no id of this kind</source>
        <translation>不是这一类的 id</translation>
    </message>
    <message>
        <source>lacks color or symbol</source>
        <translation>缺少 color 或 symbol</translation>
    </message>
    <message>
        <source>Give a colour.</source>
        <translation>请给出颜色。</translation>
    </message>
    <message>
        <source>has a lower limit above its upper one</source>
        <translation>的下限大于上限</translation>
    </message>
    <message>
        <source>has both a value and is_null</source>
        <translation>同时带有 value 和 is_null</translation>
    </message>
    <message>
        <source>must be a list of values</source>
        <translation>必须是值的列表</translation>
    </message>
    <message>
        <source>must hold 1 to {} classes</source>
        <translation>必须包含 1 到 {} 个类别</translation>
    </message>
    <message>
        <source>Ids are {0}1, {0}2 … as get_style shows them; take a free number for a new one.</source>
        <translation>id 形如 {0}1、{0}2 …，见 get_style；新类别请取未使用的编号。</translation>
    </message>
    <message>
        <source>NULL, the empty text and all other values are one class in QGIS.</source>
        <translation>NULL、空文本和所有其他值在 QGIS 中是同一个类别。</translation>
    </message>
    <message>
        <source>has two classes for the value &apos;{}&apos;</source>
        <translation>对值“{}”有两个类别</translation>
    </message>
    <message>
        <source>The values span less than a power of ten: limits are equal steps of the logarithm.</source>
        <translation>值的跨度不足十倍：界限按对数等步长划分。</translation>
    </message>
    <message>
        <source>No value is above 0, and only those have a place in logarithmic classes.</source>
        <translation>没有大于 0 的值，而只有这样的值才能归入对数分级。</translation>
    </message>
    <message>
        <source>Use quantile, equal_interval or standard_deviation; the style was not changed.</source>
        <translation>请使用 quantile、equal_interval 或 standard_deviation；样式没有改变。</translation>
    </message>
    <message>
        <source>Limits are the mean ({}) and steps of the standard deviation ({}) from it.</source>
        <translation>界限为平均值（{}），以及由它按标准差（{}）分步得到的值。</translation>
    </message>
    <message>
        <source>{} values of 0 or below have no logarithm and are not drawn.</source>
        <translation>{} 个小于或等于 0 的值没有对数，不会绘制。</translation>
    </message>
    <message>
        <source>needs a field</source>
        <translation>需要字段</translation>
    </message>
    <message>
        <source>Write {&quot;field&quot;: name}; expressions are not taken.</source>
        <translation>请写 {&quot;field&quot;: name}；不接受表达式。</translation>
    </message>
    <message>
        <source>lacks {}</source>
        <translation>缺少 {}</translation>
    </message>
    <message>
        <source>may name a file and is not taken from a field</source>
        <translation>可能指向文件，不接受取自字段的值</translation>
    </message>
    <message>
        <source>Use graduated or categorized, or a layer of points.</source>
        <translation>请使用 graduated 或 categorized，或使用点图层。</translation>
    </message>
    <message>
        <source>Give size in millimetres on the screen, for example 10.</source>
        <translation>请给出 size，以屏幕上的毫米为单位，例如 10。</translation>
    </message>
    <message>
        <source>The method {} needs a point layer.</source>
        <translation>方法 {} 需要点图层。</translation>
    </message>
    <message>
        <source>The radius {} is not between {} and {} mm.</source>
        <translation>半径 {} 不在 {} 到 {} mm 之间。</translation>
    </message>
    <message>
        <source>Use a rule_id that a style tool returned for this layer: {}.</source>
        <translation>请使用样式工具为此图层返回的 rule_id：{}。</translation>
    </message>
    <message>
        <source>must be true or false</source>
        <translation>必须是 true 或 false</translation>
    </message>
    <message>
        <source>must be a colour in hexadecimal</source>
        <translation>必须是十六进制颜色</translation>
    </message>
    <message>
        <source>Write #rrggbb, for example #d7191c; with opacity #rrggbbaa.</source>
        <translation>请写 #rrggbb，例如 #d7191c；带不透明度时写 #rrggbbaa。</translation>
    </message>
    <message>
        <source>there is no such key</source>
        <translation>没有这个键</translation>
    </message>
    <message>
        <source>the range of scales is turned round</source>
        <translation>比例尺范围前后颠倒</translation>
    </message>
    <message>
        <source>{}: {}.</source>
        <translation>{}：{}。</translation>
    </message>
    <message>
        <source>get_style shows the present values; change one and send only that.</source>
        <translation>当前值见 get_style；请更改其中一个，并只发送这一个。</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>must be a list of two numbers, [x, y]</source>
        <translation>必须是两个数值的列表 [x, y]</translation>
    </message>
    <message>
        <source>must be a list</source>
        <translation>必须是列表</translation>
    </message>
    <message>
        <source>must be an object</source>
        <translation>必须是对象</translation>
    </message>
    <message>
        <source>the field &apos;{}&apos; ({}) is no number field</source>
        <translation>字段“{}”（{}）不是数值字段</translation>
    </message>
    <message>
        <source>min is the scale when zoomed out, with the larger number: min {:.0f}, max {:.0f}.</source>
        <translation>min 是缩小时的比例尺，数字较大：min {:.0f}，max {:.0f}。</translation>
    </message>
    <message>
        <source>must be {} from {:g} to {:g}</source>
        <translation>必须是{}，范围为 {:g} 到 {:g}</translation>
    </message>
    <message>
        <source>must be a text of 1 to {} characters</source>
        <translation>必须是 1 到 {} 个字符的文本</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not known</source>
        <translation>无法识别“{}”</translation>
    </message>
    <message>
        <source>Keys: {}.</source>
        <translation>键：{}。</translation>
    </message>
    <message>
        <source>{} does not go with a {} layer</source>
        <translation>{} 不适用于 {} 图层</translation>
    </message>
    <message>
        <source>Use one of: {}.</source>
        <translation>请使用以下之一：{}。</translation>
    </message>
    <message>
        <source>must be a list of conditions</source>
        <translation>必须是条件的列表</translation>
    </message>
    <message>
        <source>there is no such rule</source>
        <translation>没有这条规则</translation>
    </message>
    <message>
        <source>must be an object of rules by id</source>
        <translation>必须是以 id 为键的规则对象</translation>
    </message>
    <message>
        <source>Use enabled false to switch labels off.</source>
        <translation>要关闭标注，请将 enabled 设为 false。</translation>
    </message>
    <message>
        <source>there is no such rule, and a new one needs a style with a field</source>
        <translation>没有这条规则，而新规则需要带字段的 style</translation>
    </message>
    <message>
        <source>else goes without where</source>
        <translation>else 不能与 where 同用</translation>
    </message>
    <message>
        <source>labels need a field</source>
        <translation>标注需要字段</translation>
    </message>
    <message>
        <source>Write [{{&quot;field&quot;: &quot;name&quot;, &quot;op&quot;: &quot;eq&quot;, &quot;value&quot;: &quot;x&quot;}}]; ops: {}.</source>
        <translation>请写 [{{&quot;field&quot;: &quot;name&quot;, &quot;op&quot;: &quot;eq&quot;, &quot;value&quot;: &quot;x&quot;}}]；op 可选：{}。</translation>
    </message>
    <message>
        <source>Rules: {}.</source>
        <translation>规则：{}。</translation>
    </message>
    <message>
        <source>there must be 1 to {} rules</source>
        <translation>必须有 1 到 {} 条规则</translation>
    </message>
    <message>
        <source>rules are nested in a circle</source>
        <translation>规则循环嵌套</translation>
    </message>
    <message>
        <source>expressions are not accepted</source>
        <translation>不接受表达式</translation>
    </message>
    <message>
        <source>Give field, a field of the layer.</source>
        <translation>请给出 field，即图层的一个字段。</translation>
    </message>
    <message>
        <source>the font &apos;{}&apos; is not on this machine</source>
        <translation>此计算机上没有字体“{}”</translation>
    </message>
    <message>
        <source>labels of the type simple have no rules</source>
        <translation>simple 类型的标注没有规则</translation>
    </message>
    <message>
        <source>Give &quot;type&quot;: &quot;rules&quot; with them; each rule brings its own style.</source>
        <translation>请同时给出 &quot;type&quot;: &quot;rules&quot;；每条规则自带样式。</translation>
    </message>
    <message>
        <source>these labels have rules, each with a style of its own</source>
        <translation>这些标注使用规则，每条规则各有自己的样式</translation>
    </message>
    <message>
        <source>Write {&quot;rules&quot;: {&quot;r1&quot;: {&quot;style&quot;: {…}}}}, or &quot;type&quot;: &quot;simple&quot; with a field.</source>
        <translation>请写 {&quot;rules&quot;: {&quot;r1&quot;: {&quot;style&quot;: {…}}}}，或写 &quot;type&quot;: &quot;simple&quot; 并给出字段。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no geometry to put labels on.</source>
        <translation>图层“{}”没有几何图形，无法添加标注。</translation>
    </message>
    <message>
        <source>The text holds [%, which QGIS would evaluate as an expression.</source>
        <translation>文本含有 [%，QGIS 会将其作为表达式求值。</translation>
    </message>
    <message>
        <source>Set a title, rename the layer, or draw it in classes with set_render_rule.</source>
        <translation>请设置标题、重命名图层，或用 set_render_rule 分类绘制。</translation>
    </message>
    <message>
        <source>Write the text itself, without [% %].</source>
        <translation>请直接写文本本身，不要带 [% %]。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no classes; its legend shows its name.</source>
        <translation>图层“{}”没有类别；其图例显示图层名称。</translation>
    </message>
    <message>
        <source>There is no class &apos;{}&apos; in the layer &apos;{}&apos;.</source>
        <translation>类别“{}”不在图层“{}”中。</translation>
    </message>
    <message>
        <source>Classes: {}; get_style shows them.</source>
        <translation>类别：{}；见 get_style。</translation>
    </message>
    <message>
        <source>must be one of the allowed values</source>
        <translation>必须是允许的值之一</translation>
    </message>
    <message>
        <source>is nested too deeply</source>
        <translation>嵌套过深</translation>
    </message>
    <message>
        <source>holds an expression or markup</source>
        <translation>含有表达式或标记</translation>
    </message>
    <message>
        <source>is no part of the style document</source>
        <translation>不属于样式文档</translation>
    </message>
    <message>
        <source>get_style shows the layer&apos;s style document; patch a part of it.</source>
        <translation>图层的样式文档见 get_style；请修改其中的一部分。</translation>
    </message>
    <message>
        <source>must be a number from {:g} to {:g}</source>
        <translation>必须是 {:g} 到 {:g} 之间的数值</translation>
    </message>
    <message>
        <source>parts</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>must be a text of at most {} characters</source>
        <translation>必须是最多 {} 个字符的文本</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>为空</translation>
    </message>
    <message>
        <source>For example {&quot;opacity&quot;: 0.5}.</source>
        <translation>例如 {&quot;opacity&quot;: 0.5}。</translation>
    </message>
    <message>
        <source>To draw nothing give {&quot;type&quot;: &quot;none&quot;}.</source>
        <translation>要不绘制任何内容，请给出 {&quot;type&quot;: &quot;none&quot;}。</translation>
    </message>
    <message>
        <source>follows the classes</source>
        <translation>由类别决定</translation>
    </message>
    <message>
        <source>Change renderer.classes.&lt;id&gt;.label.</source>
        <translation>请更改 renderer.classes.&lt;id&gt;.label。</translation>
    </message>
    <message>
        <source>Of this layer, opacity, blend, scale_range and legend can be patched.</source>
        <translation>此图层只能修改 opacity、blend、scale_range 和 legend。</translation>
    </message>
    <message>
        <source>{} belongs to vector layers.</source>
        <translation>{} 仅适用于矢量图层。</translation>
    </message>
    <message>
        <source>QGIS did not take {} over; the earlier style is kept.</source>
        <translation>QGIS 没有采用 {}；之前的样式已保留。</translation>
    </message>
    <message>
        <source>Leave it out; read back: {}.</source>
        <translation>请去掉它；读回的值：{}。</translation>
    </message>
    <message>
        <source>needs two colours at least</source>
        <translation>至少需要两种颜色</translation>
    </message>
    <message>
        <source>must be a list of colours</source>
        <translation>必须是颜色的列表</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; draws nothing, so its style cannot be changed.</source>
        <translation>图层“{}”不绘制任何内容，因此无法更改它的样式。</translation>
    </message>
    <message>
        <source>The other values go from {:.10g} to {:.10g}: give these as min and max.</source>
        <translation>其他值在 {:.10g} 到 {:.10g} 之间：请将这两个值作为 min 和 max 给出。</translation>
    </message>
    <message>
        <source>No cell lies between min and max, so there are no classes.</source>
        <translation>没有像元位于 min 和 max 之间，因此没有分级。</translation>
    </message>
    <message>
        <source>Colours are those of the file&apos;s own colour table.</source>
        <translation>颜色取自文件自带的颜色表。</translation>
    </message>
    <message>
        <source>get_raster_info tells the values of the band; the style was not changed.</source>
        <translation>波段的值见 get_raster_info；样式没有改变。</translation>
    </message>
    <message>
        <source>Use method pseudocolor (with classes) for measured values.</source>
        <translation>量测值请使用 pseudocolor 方法（带 classes）。</translation>
    </message>
    <message>
        <source>Hillshade</source>
        <translation>山体阴影</translation>
    </message>
    <message>
        <source>All cells are {:.10g}, so there is one colour.</source>
        <translation>所有像元都是 {:.10g}，因此只有一种颜色。</translation>
    </message>
    <message>
        <source>get_raster_info tells the values of the band.</source>
        <translation>波段的值见 get_raster_info。</translation>
    </message>
    <message>
        <source>{} does not go with {}.</source>
        <translation>{} 不适用于 {}。</translation>
    </message>
    <message>
        <source>Use another band; the style was not changed.</source>
        <translation>请使用其他波段；样式没有改变。</translation>
    </message>
    <message>
        <source>Limits are from a sample of {} cells.</source>
        <translation>界限来自 {} 个像元的样本。</translation>
    </message>
    <message>
        <source>The band has more than {} different values.</source>
        <translation>该波段的不同值多于 {} 个。</translation>
    </message>
    <message>
        <source>Heights are taken as metres; the CRS is not in metres, so the z factor is {}.</source>
        <translation>高程以米计；坐标参照系的单位不是米，因此 z 因子为 {}。</translation>
    </message>
    <message>
        <source>Leave it out. Options of this method: {}.</source>
        <translation>请去掉它。此方法的选项：{}。</translation>
    </message>
    <message>
        <source>Band {} has no valid cells: all of them are nodata.</source>
        <translation>波段 {} 没有有效像元：全部为无数据值。</translation>
    </message>
    <message>
        <source>Band {}</source>
        <translation>波段 {}</translation>
    </message>
    <message>
        <source>must be two numbers of percent, low and high</source>
        <translation>必须是两个百分比数值，先低后高</translation>
    </message>
    <message>
        <source>must be a whole number</source>
        <translation>必须是整数</translation>
    </message>
    <message>
        <source>must be a list of at most {} entries</source>
        <translation>必须是最多 {} 项的列表</translation>
    </message>
    <message>
        <source>must be three bands: red, green, blue (0 for none)</source>
        <translation>必须是三个波段：红、绿、蓝（0 表示无）</translation>
    </message>
    <message>
        <source>has a min above its max</source>
        <translation>的 min 大于 max</translation>
    </message>
    <message>
        <source>must ascend by upper; one without upper is the last</source>
        <translation>必须按 upper 升序排列；没有 upper 的放在最后</translation>
    </message>
    <message>
        <source>need upper, except the last of interpolation discrete</source>
        <translation>需要 upper，只有 interpolation discrete 的最后一个除外</translation>
    </message>
    <message>
        <source>have a value twice</source>
        <translation>有重复的值</translation>
    </message>
    <message>
        <source>must be a plain text of at most 120 characters</source>
        <translation>必须是最多 120 个字符的纯文本</translation>
    </message>
    <message>
        <source>must be an object of 1 to {} classes</source>
        <translation>必须是包含 1 到 {} 个类别的对象</translation>
    </message>
    <message>
        <source>needs a point layer</source>
        <translation>需要点图层</translation>
    </message>
    <message>
        <source>must draw single points here</source>
        <translation>在此处必须逐个绘制点</translation>
    </message>
    <message>
        <source>cannot be changed</source>
        <translation>不能更改</translation>
    </message>
    <message>
        <source>must be a unit</source>
        <translation>必须是单位</translation>
    </message>
    <message>
        <source>must be a list of at most 5 fields</source>
        <translation>必须是最多 5 个字段的列表</translation>
    </message>
    <message>
        <source>of type {} lacks {}</source>
        <translation>的类型为 {}，但缺少 {}</translation>
    </message>
    <message>
        <source>Give {} too; or let set_render_rule make it from the data.</source>
        <translation>请一并给出 {}；或用 set_render_rule 根据数据生成。</translation>
    </message>
    <message>
        <source>Few</source>
        <translation>少</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>Many</source>
        <translation>多</translation>
    </message>
    <message>
        <source>Number of points</source>
        <translation>点数</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>点</translation>
    </message>
    <message>
        <source>All other values</source>
        <translation>所有其他值</translation>
    </message>
    <message>
        <source>must be a list of 1 to 20 conditions</source>
        <translation>必须是 1 到 20 个条件的列表</translation>
    </message>
    <message>
        <source>Give where, a list of conditions.</source>
        <translation>请给出 where，即条件的列表。</translation>
    </message>
    <message>
        <source>is the wrong way round</source>
        <translation>前后颠倒</translation>
    </message>
    <message>
        <source>min is the denominator when zoomed out (the larger number), max when zoomed in.</source>
        <translation>min 是缩小时的比例尺分母（数字较大），max 是放大时的。</translation>
    </message>
    <message>
        <source>has both a condition and else</source>
        <translation>同时带有条件和 else</translation>
    </message>
    <message>
        <source>makes a loop</source>
        <translation>形成循环</translation>
    </message>
    <message>
        <source>must hold 1 to {} rules</source>
        <translation>必须包含 1 到 {} 条规则</translation>
    </message>
    <message>
        <source>needs field and op</source>
        <translation>需要 field 和 op</translation>
    </message>
    <message>
        <source>is no rule</source>
        <translation>不是规则</translation>
    </message>
    <message>
        <source>Polygons have no symbol size.</source>
        <translation>面没有符号大小。</translation>
    </message>
    <message>
        <source>Use another field for size; the style was not changed.</source>
        <translation>请为 size 使用其他字段；样式没有改变。</translation>
    </message>
    <message>
        <source>Leave size out, or give a number field: it draws a circle on each polygon.</source>
        <translation>请去掉 size，或给出数值字段：这样会在每个面上绘制一个圆。</translation>
    </message>
    <message>
        <source>Give millimetres, for example 3, or the name of a number field.</source>
        <translation>请给出毫米数（例如 3），或数值字段的名称。</translation>
    </message>
    <message>
        <source>No value of &apos;{}&apos; is above 0, so it sets no sizes.</source>
        <translation>“{}”没有大于 0 的值，因此无法据此设置大小。</translation>
    </message>
    <message>
        <source>size {} is not between {} and {} mm.</source>
        <translation>size {} 不在 {} 到 {} mm 之间。</translation>
    </message>
    <message>
        <source>{} features have no size, because &apos;{}&apos; is empty, 0 or below.</source>
        <translation>{} 个要素没有大小，因为“{}”为空、为 0 或小于 0。</translation>
    </message>
    <message>
        <source>{} features are so small beside the largest that they are hard to see.</source>
        <translation>{} 个要素与最大的相比太小，难以看清。</translation>
    </message>
    <message>
        <source>Choose layers of the same kind of geometry.</source>
        <translation>请选择几何类型相同的图层。</translation>
    </message>
    <message>
        <source>Label it first with set_layer_label, or use part renderer.</source>
        <translation>请先用 set_layer_label 添加标注，或将 part 设为 renderer。</translation>
    </message>
    <message>
        <source>Copy the renderer or the labels alone.</source>
        <translation>请单独复制渲染或标注。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is a {} layer and &apos;{}&apos; a {} layer; the look does not fit.</source>
        <translation>“{}”是 {} 图层，而“{}”是 {} 图层；样式不适用。</translation>
    </message>
    <message>
        <source>Copy another part, leave this layer out, or use set_render_rule with its fields.</source>
        <translation>请复制其他部分、去掉此图层，或用 set_render_rule 并使用此图层的字段。</translation>
    </message>
    <message>
        <source>Use set_raster_style with a band of that layer.</source>
        <translation>请使用 set_raster_style，并指定该图层的波段。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no labels to copy.</source>
        <translation>图层“{}”没有可复制的标注。</translation>
    </message>
    <message>
        <source>QGIS did not take the style over for &apos;{}&apos;; it is as before.</source>
        <translation>QGIS 没有为“{}”采用该样式；它保持原样。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; lacks fields that the look reads: {}.</source>
        <translation>图层“{}”缺少该样式要读取的字段：{}。</translation>
    </message>
    <message>
        <source>The look reads band {}, and &apos;{}&apos; has {} bands.</source>
        <translation>该样式要读取波段 {}，而“{}”有 {} 个波段。</translation>
    </message>
    <message>
        <source>Use vector layers, or raster layers without part labels.</source>
        <translation>请使用矢量图层；或使用栅格图层，但 part 不取 labels。</translation>
    </message>
    <message>
        <source>The look of &apos;{}&apos; cannot be copied.</source>
        <translation>无法复制“{}”的样式。</translation>
    </message>
    <message>
        <source>must keep one layer at least</source>
        <translation>必须至少保留一个符号图层</translation>
    </message>
    <message>
        <source>is made by an expression and is not taken</source>
        <translation>由表达式生成，不被接受</translation>
    </message>
    <message>
        <source>Use another kind of symbol layer.</source>
        <translation>请使用其他类型的符号图层。</translation>
    </message>
    <message>
        <source>does not go with this kind of symbol layer</source>
        <translation>不适用于这种符号图层</translation>
    </message>
    <message>
        <source>cannot be set: the symbol has no outline</source>
        <translation>无法设置：符号没有轮廓</translation>
    </message>
    <message>
        <source>is no property of this type of symbol</source>
        <translation>不是这种类型符号的属性</translation>
    </message>
    <message>
        <source>must be {} here</source>
        <translation>在此处必须是 {}</translation>
    </message>
    <message>
        <source>must hold 1 to {} layers</source>
        <translation>必须包含 1 到 {} 个符号图层</translation>
    </message>
    <message>
        <source>cannot be set: the symbol takes no colour</source>
        <translation>无法设置：符号不接受颜色</translation>
    </message>
    <message>
        <source>Set the colours of its layers, or give it other layers.</source>
        <translation>请设置其各符号图层的颜色，或换用其他符号图层。</translation>
    </message>
    <message>
        <source>does not take {!r}</source>
        <translation>不接受 {!r}</translation>
    </message>
    <message>
        <source>is no picture of QGIS&apos;s library</source>
        <translation>不是 QGIS 图片库中的图片</translation>
    </message>
    <message>
        <source>Give a name such as transport/transport_airport.svg; files and addresses are not taken.</source>
        <translation>请给出名称，例如 transport/transport_airport.svg；不接受文件和地址。</translation>
    </message>
    <message>
        <source>must be a colour</source>
        <translation>必须是颜色</translation>
    </message>
    <message>
        <source>must be a plain word or numbers</source>
        <translation>必须是普通单词或数字</translation>
    </message>
    <message>
        <source>must be a list of [position, colour]</source>
        <translation>必须是 [位置, 颜色] 的列表</translation>
    </message>
    <message>
        <source>must ascend</source>
        <translation>必须升序排列</translation>
    </message>
    <message>
        <source>must be [position, colour]</source>
        <translation>必须是 [位置, 颜色]</translation>
    </message>
    <message>
        <source>give classes (2 to 20): so many of the most frequent values, all others in one</source>
        <translation>给出 classes（2 到 20）作为单独成类的最常见值的个数，其余归为一类</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; is text, although {} of the {} values looked at are numbers: text is ordered letter by letter (10 before 9), so it has no classes.</source>
        <translation>字段“{}”是文本，虽然有 {} 个值（共查看 {} 个）是数字：文本按字符逐个排序（10 排在 9 之前），因此没有分级。</translation>
    </message>
    <message>
        <source>use method graduated for the number field &apos;{}&apos;</source>
        <translation>对数值字段“{}”使用 graduated 方法</translation>
    </message>
    <message>
        <source>use a field with fewer values ({}), or graduated with a number field</source>
        <translation>使用不同值较少的字段（{}），或对数值字段使用 graduated</translation>
    </message>
    <message>
        <source>Either {}.</source>
        <translation>可以：{}。</translation>
    </message>
    <message>
        <source>This is an assumption: no coordinate was converted.</source>
        <translation>这是假定：没有转换任何坐标。</translation>
    </message>
    <message>
        <source>Reading raw text</source>
        <translation>正在读取原始文本</translation>
    </message>
    <message>
        <source>Field names read differently now; styles and filters may name old ones.</source>
        <translation>字段名称的读法已改变；样式和过滤器可能仍引用旧名称。</translation>
    </message>
    <message>
        <source>All text is plain ASCII: it reads the same in every encoding.</source>
        <translation>所有文本都是纯 ASCII：用任何编码读取都相同。</translation>
    </message>
    <message>
        <source>The bytes fit none of the usual encodings; ask where the file is from.</source>
        <translation>这些字节不符合任何常用编码；请询问文件的来源。</translation>
    </message>
    <message>
        <source>QGIS did not take the CRS.</source>
        <translation>QGIS 没有采用该坐标参照系。</translation>
    </message>
    <message>
        <source>Reading the extent</source>
        <translation>正在读取范围</translation>
    </message>
    <message>
        <source>Try another encoding, for example GB18030 or UTF-8.</source>
        <translation>请尝试其他编码，例如 GB18030 或 UTF-8。</translation>
    </message>
    <message>
        <source>Encoding {} (assumed), before {}</source>
        <translation>编码 {}（假定），之前为 {}</translation>
    </message>
    <message>
        <source>{} is an assumption; the file and its .cpg are as they were.</source>
        <translation>{} 是假定的编码；文件及其 .cpg 保持原样。</translation>
    </message>
    <message>
        <source>It looks like {}. Nothing is changed yet: show the samples, then call with encoding.</source>
        <translation>看起来是 {}。尚未更改任何内容：请展示样例，然后带 encoding 再次调用。</translation>
    </message>
    <message>
        <source>Choose a layer with geometry.</source>
        <translation>请选择带几何图形的图层。</translation>
    </message>
    <message>
        <source>Try another CRS.</source>
        <translation>请尝试其他坐标参照系。</translation>
    </message>
    <message>
        <source>CRS {} (assumed), before {}</source>
        <translation>坐标参照系 {}（假定），之前为 {}</translation>
    </message>
    <message>
        <source>QGIS did not take the encoding {}; it reads {} as before.</source>
        <translation>QGIS 没有采用编码 {}；仍按 {} 读取。</translation>
    </message>
    <message>
        <source>The bytes are valid {}, so this is doubtful.</source>
        <translation>字节是有效的 {}，因此所设的编码存疑。</translation>
    </message>
    <message>
        <source>The text already reads as {}; nothing to change.</source>
        <translation>文本已按 {} 读取，无需更改。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is a table: it has no coordinates.</source>
        <translation>“{}”是表：它没有坐标。</translation>
    </message>
    <message>
        <source>The layer had a CRS, so its place on earth has changed{}. To convert the data to another CRS, set the old one back and reproject the layer.</source>
        <translation>图层原本有坐标参照系，因此它在地球上的位置已改变{}。若要把数据转换到其他坐标参照系，请恢复原来的坐标参照系，再对图层重投影。</translation>
    </message>
    <message>
        <source>Nothing was selected.</source>
        <translation>原本没有选中任何要素。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; are still selected.</source>
        <translation>“{1}”仍有 {0} 个要素被选中。</translation>
    </message>
    <message>
        <source>There is nothing to set.</source>
        <translation>没有可设置的内容。</translation>
    </message>
    <message>
        <source>QGIS did not take the earlier style over; nothing was changed.</source>
        <translation>QGIS 没有采用之前的样式；没有任何更改。</translation>
    </message>
    <message>
        <source>Ask the person. If they agree, call again with discard_later true.</source>
        <translation>请询问用户。如果用户同意，请带 discard_later true 再次调用。</translation>
    </message>
    <message>
        <source>Give title, labels or show_counts.</source>
        <translation>请给出 title、labels 或 show_counts。</translation>
    </message>
    <message>
        <source>Put the layer into the layer tree first.</source>
        <translation>请先把图层放入图层树。</translation>
    </message>
    <message>
        <source>{}: legend set</source>
        <translation>{}：图例已设置</translation>
    </message>
    <message>
        <source>What a person changed by hand is undone in QGIS&apos;s styling panel.</source>
        <translation>用户手动所作的更改，要在 QGIS 的图层样式面板中撤销。</translation>
    </message>
    <message>
        <source>{}: style as before this change</source>
        <translation>{}：样式已恢复到此更改之前</translation>
    </message>
    <message>
        <source>The style of &apos;{}&apos; was changed by hand since; putting it back would lose that.</source>
        <translation>“{}”的样式之后被手动更改过；恢复会丢失这些更改。</translation>
    </message>
    <message>
        <source>Name other layers in to_layer_ids.</source>
        <translation>请在 to_layer_ids 中指定其他图层。</translation>
    </message>
    <message>
        <source>QGIS did not take over the legend of &apos;{}&apos;; it is as before.</source>
        <translation>QGIS 没有采用“{}”的图例；图例保持原样。</translation>
    </message>
    <message>
        <source>No tool has changed the style of &apos;{}&apos; that could be put back.</source>
        <translation>“{}”的样式没有由工具所作、可以恢复的更改。</translation>
    </message>
    <message>
        <source>Put the style back; my later changes may go</source>
        <translation>恢复样式；我之后的更改可以丢弃</translation>
    </message>
    <message>
        <source>Leave the style as it is</source>
        <translation>保持样式不变</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is the layer whose look is copied.</source>
        <translation>“{}”就是被复制样式的图层。</translation>
    </message>
    <message>
        <source>{}: style of {}</source>
        <translation>{}：采用 {} 的样式</translation>
    </message>
    <message>
        <source>{}: {} of {} features are drawn by no class.</source>
        <translation>{0}：{2} 个要素中有 {1} 个不属于任何类别，不会绘制。</translation>
    </message>
    <message>
        <source>The project draws in an order of its own; the layer was moved in that order.</source>
        <translation>工程使用自定义的绘制顺序；图层已在该顺序中移动。</translation>
    </message>
    <message>
        <source>The name is empty or has &apos;[%&apos;, which QGIS would evaluate.</source>
        <translation>名称为空，或含有“[%”，QGIS 会对它求值。</translation>
    </message>
    <message>
        <source>There is no temporary layer to clear away.</source>
        <translation>没有可清除的临时图层。</translation>
    </message>
    <message>
        <source>It lies below the raster &apos;{}&apos;, which may cover it.</source>
        <translation>它位于栅格“{}”之下，可能被其遮盖。</translation>
    </message>
    <message>
        <source>above and below need other_layer_id; top and bottom take none.</source>
        <translation>above 和 below 需要 other_layer_id；top 和 bottom 不需要。</translation>
    </message>
    <message>
        <source>layer_id and other_layer_id are the same layer.</source>
        <translation>layer_id 和 other_layer_id 是同一个图层。</translation>
    </message>
    <message>
        <source>Do it in QGIS&apos;s layer panel.</source>
        <translation>请在 QGIS 的图层面板中操作。</translation>
    </message>
    <message>
        <source>The group is switched off, so its layers are not drawn.</source>
        <translation>该组已关闭，因此不会绘制其中的图层。</translation>
    </message>
    <message>
        <source>Another layer has this name too.</source>
        <translation>另有图层也使用此名称。</translation>
    </message>
    <message>
        <source>QGIS did not remove all of the temporary layers.</source>
        <translation>QGIS 没有移除全部临时图层。</translation>
    </message>
    <message>
        <source>It is no longer in the group {}.</source>
        <translation>它已不在组 {} 中。</translation>
    </message>
    <message>
        <source>It is in the group {} now.</source>
        <translation>它现在位于组 {} 中。</translation>
    </message>
    <message>
        <source>Give position and, for above or below, other_layer_id.</source>
        <translation>请给出 position；若为 above 或 below，还要给出 other_layer_id。</translation>
    </message>
    <message>
        <source>Name another layer.</source>
        <translation>请指定其他图层。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>请选择其他名称。</translation>
    </message>
    <message>
        <source>QGIS did not move the layer &apos;{}&apos;.</source>
        <translation>QGIS 没有移动图层“{}”。</translation>
    </message>
    <message>
        <source>The group &apos;{}&apos; is for results of QGIS Agent.</source>
        <translation>组“{}”用于 QGIS Agent 的结果。</translation>
    </message>
    <message>
        <source>QGIS did not put the layers into the group &apos;{}&apos;.</source>
        <translation>QGIS 没有把图层放入组“{}”。</translation>
    </message>
    <message>
        <source>QGIS did not rename the layer &apos;{}&apos;.</source>
        <translation>QGIS 没有重命名图层“{}”。</translation>
    </message>
    <message>
        <source>Give a plain name of at most {} characters.</source>
        <translation>请给出不超过 {} 个字符的普通名称。</translation>
    </message>
    <message>
        <source>set_map_view needs a method, a scale, a centre or a rotation.</source>
        <translation>set_map_view 需要方法、比例尺、中心或旋转角度。</translation>
    </message>
    <message>
        <source>A method sets scale and centre itself.</source>
        <translation>使用方法时，比例尺和中心由方法设定。</translation>
    </message>
    <message>
        <source>No visible layer has anything to show.</source>
        <translation>可见图层都没有可显示的内容。</translation>
    </message>
    <message>
        <source>Use another scale or rotation.</source>
        <translation>请使用其他比例尺或旋转角度。</translation>
    </message>
    <message>
        <source>center is not a place in degrees.</source>
        <translation>center 不是以度为单位的地点。</translation>
    </message>
    <message>
        <source>Give method alone, or scale and center ([lon, lat] in degrees), or rotation.</source>
        <translation>请只给出 method，或给出 scale 和 center（[lon, lat]，以度为单位），或给出 rotation。</translation>
    </message>
    <message>
        <source>Switch a layer on with toggle_layer.</source>
        <translation>请用 toggle_layer 打开图层。</translation>
    </message>
    <message>
        <source>QGIS showed 1:{:.0f}, rotated by {:.0f}°, instead; the map is as it was.</source>
        <translation>QGIS 显示的却是 1:{:.0f}、旋转 {:.0f}°；地图保持原样。</translation>
    </message>
    <message>
        <source>A style stored with the data was left out (it can carry code).</source>
        <translation>随数据存储的样式已忽略（它可能带有代码）。</translation>
    </message>
    <message>
        <source>It has no features.</source>
        <translation>它没有要素。</translation>
    </message>
    <message>
        <source>No row of column names was found: the first row is counted as data.</source>
        <translation>没有找到列名行：第一行按数据处理。</translation>
    </message>
    <message>
        <source>File {}</source>
        <translation>文件 {}</translation>
    </message>
    <message>
        <source>Coordinates come from x_field and y_field together, or from wkt_field alone.</source>
        <translation>坐标要么同时取自 x_field 和 y_field，要么只取自 wkt_field。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is of another kind.</source>
        <translation>“{}”是另一种类型。</translation>
    </message>
    <message>
        <source>The table has no column &apos;{}&apos;.</source>
        <translation>表中没有列“{}”。</translation>
    </message>
    <message>
        <source>Name both columns, or the one with WKT.</source>
        <translation>请同时指定两列，或指定含 WKT 的列。</translation>
    </message>
    <message>
        <source>A table without coordinates has no CRS.</source>
        <translation>没有坐标的表没有坐标参照系。</translation>
    </message>
    <message>
        <source>It was added without points: the columns for them were not named.</source>
        <translation>已添加，但不含点：没有指定坐标列。</translation>
    </message>
    <message>
        <source>Leave crs out; set_layer_crs replaces a wrong CRS of a layer that is added.</source>
        <translation>请去掉 crs；图层添加后，可用 set_layer_crs 替换错误的坐标参照系。</translation>
    </message>
    <message>
        <source>The CRS {} is an assumption.</source>
        <translation>坐标参照系 {} 是假定的。</translation>
    </message>
    <message>
        <source>The encoding {} is an assumption.</source>
        <translation>编码 {} 是假定的。</translation>
    </message>
    <message>
        <source>Use {}.</source>
        <translation>请使用 {}。</translation>
    </message>
    <message>
        <source>Reading {}</source>
        <translation>正在读取 {}</translation>
    </message>
    <message>
        <source>Set options.decimal to “comma” for 116,5, or choose another column.</source>
        <translation>对于 116,5 这样的值，请把 options.decimal 设为“comma”，或选择其他列。</translation>
    </message>
    <message>
        <source>Name x_field and y_field, or leave crs out.</source>
        <translation>请指定 x_field 和 y_field，或去掉 crs。</translation>
    </message>
    <message>
        <source>{} rows have another number of columns than the first.</source>
        <translation>{} 行的列数与第一行不同。</translation>
    </message>
    <message>
        <source>Kept as text so that no value changes: {}.</source>
        <translation>为避免值改变，保留为文本：{}。</translation>
    </message>
    <message>
        <source>The file states its CRS: {}.</source>
        <translation>文件声明了坐标参照系：{}。</translation>
    </message>
    <message>
        <source>Its text is read as {} but looks like {}: ask, then use set_layer_encoding.</source>
        <translation>文本按 {} 读取，但看起来像 {}：请先询问，再使用 set_layer_encoding。</translation>
    </message>
    <message>
        <source>The column &apos;{}&apos; holds no numbers (for example &apos;{}&apos;).</source>
        <translation>列“{}”不是数字（例如“{}”）。</translation>
    </message>
    <message>
        <source>There are no data files here.</source>
        <translation>这里没有数据文件。</translation>
    </message>
    <message>
        <source>Looking into {}</source>
        <translation>正在查看 {}</translation>
    </message>
    <message>
        <source>It has several layers; give one as sublayer for its fields.</source>
        <translation>它有多个图层；要查看字段，请用 sublayer 指定其中一个。</translation>
    </message>
    <message>
        <source>This service draws China in GCJ-02: an offset of some hundred metres against WGS 84, not another CRS. No EPSG code repairs it; data in WGS 84 will look shifted on it, and is not to be moved without saying so.</source>
        <translation>此服务以 GCJ-02 显示中国：相对 WGS 84 有数百米的偏移，而不是另一种坐标参照系。没有 EPSG 代码可以修正它；WGS 84 数据叠加其上会显得偏移，未经说明不得移动数据。</translation>
    </message>
    <message>
        <source>{} service {}</source>
        <translation>{} 服务 {}</translation>
    </message>
    <message>
        <source>Asking {}</source>
        <translation>正在请求 {}</translation>
    </message>
    <message>
        <source>In the middle of the map it is about {:.0f} m.</source>
        <translation>在地图中央约为 {:.0f} m。</translation>
    </message>
    <message>
        <source>It is temporary: it ends with the session unless it is kept.</source>
        <translation>它是临时的：除非保留，否则会随会话结束而消失。</translation>
    </message>
    <message>
        <source>it is no WKT or empty</source>
        <translation>不是 WKT，或为空</translation>
    </message>
    <message>
        <source>A temporary layer is made from features or from result_ref.</source>
        <translation>临时图层由 features 或 result_ref 生成。</translation>
    </message>
    <message>
        <source>A layer holds one kind of geometry, not points, lines and areas together.</source>
        <translation>一个图层只含一种几何类型，不能同时有点、线和面。</translation>
    </message>
    <message>
        <source>Check the geometries, and try with fewer of them.</source>
        <translation>请检查几何图形，并减少数量后再试。</translation>
    </message>
    <message>
        <source>collections are not drawn</source>
        <translation>不绘制几何集合</translation>
    </message>
    <message>
        <source>Give one of them.</source>
        <translation>请给出其中之一。</translation>
    </message>
    <message>
        <source>{} features that the agent drew</source>
        <translation>智能体绘制的 {} 个要素</translation>
    </message>
    <message>
        <source>Make one layer of each kind.</source>
        <translation>请为每种类型各建一个图层。</translation>
    </message>
    <message>
        <source>QGIS did not take all features: {}</source>
        <translation>QGIS 没有接受全部要素：{}</translation>
    </message>
    <message>
        <source>WKT in EPSG:4326, longitude first: POINT(114.3 30.6).</source>
        <translation>EPSG:4326 的 WKT，经度在前：POINT(114.3 30.6)。</translation>
    </message>
    <message>
        <source>Use the result_ref of query_features or of a statistic.</source>
        <translation>请使用 query_features 或统计的 result_ref。</translation>
    </message>
    <message>
        <source>a coordinate is no number</source>
        <translation>有坐标不是数字</translation>
    </message>
    <message>
        <source>Geometry {} cannot be used: {}.</source>
        <translation>几何图形 {} 无法使用：{}。</translation>
    </message>
    <message>
        <source>The result has no rows to make a table of, or more than {}.</source>
        <translation>结果没有可制成表的行，或行数超过 {}。</translation>
    </message>
    <message>
        <source>it has more than {} vertices</source>
        <translation>顶点多于 {} 个</translation>
    </message>
    <message>
        <source>a latitude is beyond 90°: the order is longitude, latitude, in degrees</source>
        <translation>纬度超出 90°：顺序是经度、纬度，以度为单位</translation>
    </message>
    <message>
        <source>a longitude is beyond 360°: coordinates are degrees (EPSG:4326)</source>
        <translation>经度超出 360°：坐标以度为单位（EPSG:4326）</translation>
    </message>
    <message>
        <source>it is not valid: {}</source>
        <translation>无效：{}</translation>
    </message>
    <message>
        <source>The layer has no labels; nothing was changed.</source>
        <translation>图层没有标注；没有任何更改。</translation>
    </message>
    <message>
        <source>The layer is hidden; toggle_layer shows it.</source>
        <translation>图层已隐藏；可用 toggle_layer 显示。</translation>
    </message>
    <message>
        <source>{}: labels by {}, {}</source>
        <translation>{}：按 {} 标注，{}</translation>
    </message>
    <message>
        <source>Change a rule with patch_style, or replace all: patch labels with type simple and a field.</source>
        <translation>请用 patch_style 更改某条规则，或全部替换：把 labels 改为 type simple 并给出 field。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no labels yet, so a field is needed.</source>
        <translation>图层“{}”还没有标注，因此需要字段。</translation>
    </message>
    <message>
        <source>{}: labels off</source>
        <translation>{}：标注已关闭</translation>
    </message>
    <message>
        <source>The labels of &apos;{}&apos; have rules that a person made; they can be switched on and off.</source>
        <translation>“{}”的标注含有用户建立的规则；可以打开和关闭。</translation>
    </message>
    <message>
        <source>No font of this machine has glyphs for {} characters ({}); they are drawn as boxes.</source>
        <translation>此计算机没有字体能显示 {} 个字符（{}）；它们会显示为方框。</translation>
    </message>
    <message>
        <source>Leave this option out.</source>
        <translation>请去掉此选项。</translation>
    </message>
    <message>
        <source>{} of {} features have no value and get no label.</source>
        <translation>{1} 个要素中有 {0} 个没有值，不会标注。</translation>
    </message>
    <message>
        <source>At the present scale, 1:{:.0f}, the labels are hidden by their range of scales.</source>
        <translation>在当前比例尺 1:{:.0f} 下，标注因其比例尺范围而隐藏。</translation>
    </message>
    <message>
        <source>The font {} lacks characters of the values, so {} is used.</source>
        <translation>字体 {} 缺少值中的字符，因此使用 {}。</translation>
    </message>
    <message>
        <source>QGIS did not take over the labels of &apos;{}&apos; ({}); they are as before.</source>
        <translation>QGIS 没有采用“{}”的标注（{}）；标注保持原样。</translation>
    </message>
    <message>
        <source>At the present scale, 1:{:.0f}, the layer is hidden by its range of scales.</source>
        <translation>在当前比例尺 1:{:.0f} 下，图层因其比例尺范围而隐藏。</translation>
    </message>
    <message>
        <source>Looking for the data</source>
        <translation>正在查找数据</translation>
    </message>
    <message>
        <source>Reading the features</source>
        <translation>正在读取要素</translation>
    </message>
    <message>
        <source>There is one feature only: a distance needs two.</source>
        <translation>只有一个要素：距离需要两个。</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>正在量测</translation>
    </message>
    <message>
        <source>They touch or overlap.</source>
        <translation>它们相接或重叠。</translation>
    </message>
    <message>
        <source>Give other_layer_id (and other_where), or choose 2 to 10 features.</source>
        <translation>请给出 other_layer_id（和 other_where），或选择 2 到 10 个要素。</translation>
    </message>
    <message>
        <source>What is to be measured is not said.</source>
        <translation>没有说明要量测什么。</translation>
    </message>
    <message>
        <source>Ask which layer is meant and give layer_id.</source>
        <translation>请询问指的是哪个图层，并给出 layer_id。</translation>
    </message>
    <message>
        <source>Nothing is selected.</source>
        <translation>没有选中任何要素。</translation>
    </message>
    <message>
        <source>Select features first (select_features, or the person does), or give layer_id and where.</source>
        <translation>请先选中要素（用 select_features，或由用户选择），或给出 layer_id 和 where。</translation>
    </message>
    <message>
        <source>Choose fewer with where, or measure between two layers (other_layer_id).</source>
        <translation>请用 where 选择较少的要素，或在两个图层之间量测（other_layer_id）。</translation>
    </message>
    <message>
        <source>{}: {}, {}</source>
        <translation>{}：{}，{}</translation>
    </message>
    <message>
        <source>{}: distance, {}</source>
        <translation>{}：距离，{}</translation>
    </message>
    <message>
        <source>The value is the smallest of these distances.</source>
        <translation>该值是这些距离中最小的。</translation>
    </message>
    <message>
        <source>Give layer_id (and where), or use_selection true for what the person selected.</source>
        <translation>请给出 layer_id（和 where）；若要量测用户选中的要素，请给出 use_selection true。</translation>
    </message>
    <message>
        <source>Features are selected in {} layers.</source>
        <translation>{} 个图层中都选中了要素。</translation>
    </message>
    <message>
        <source>There are more than {} features.</source>
        <translation>要素多于 {} 个。</translation>
    </message>
    <message>
        <source>{} go with method distance only.</source>
        <translation>{} 只用于 distance 方法。</translation>
    </message>
    <message>
        <source>{} features have no geometry.</source>
        <translation>{} 个要素没有几何图形。</translation>
    </message>
    <message>
        <source>{} features lie nowhere on earth in the layer&apos;s CRS and are left out.</source>
        <translation>按图层的坐标参照系，{} 个要素不在地球上，已忽略。</translation>
    </message>
    <message>
        <source>The shapes lie far apart: the value may be up to {:.1f} % too long.</source>
        <translation>这些图形相距很远：该值可能偏长达 {:.1f} %。</translation>
    </message>
    <message>
        <source>Leave them out, or use method distance. Methods: {}, distance.</source>
        <translation>请去掉它们，或使用 distance 方法。方法：{}、distance。</translation>
    </message>
    <message>
        <source>Nothing is selected in &apos;{}&apos;.</source>
        <translation>“{}”中没有选中任何要素。</translation>
    </message>
    <message>
        <source>Only the selected features.</source>
        <translation>仅限选中的要素。</translation>
    </message>
    <message>
        <source>There are no values.</source>
        <translation>没有值。</translation>
    </message>
    <message>
        <source>The field is text; {} of {} values look like numbers, and only as_numbers reads them so.</source>
        <translation>该字段是文本；{1} 个值中有 {0} 个像数字，只有 as_numbers 才会按数字读取。</translation>
    </message>
    <message>
        <source>{} more have no value (NULL) to compare and are left out.</source>
        <translation>另有 {} 个没有可比较的值（NULL），已忽略。</translation>
    </message>
    <message>
        <source>{} features have no value (NULL) and are not part of it.</source>
        <translation>{} 个要素没有值（NULL），未计入。</translation>
    </message>
    <message>
        <source>{} have leading zeros, so they may be codes.</source>
        <translation>{} 个带有前导零，因此可能是代码。</translation>
    </message>
    <message>
        <source>So many colours are hard to tell apart; give classes for fewer.</source>
        <translation>颜色太多，难以区分；请用 classes 减少数量。</translation>
    </message>
    <message>
        <source>Reading sizes</source>
        <translation>正在读取大小</translation>
    </message>
    <message>
        <source>Some weights are below 0 and take from the density.</source>
        <translation>有些权重小于 0，会降低密度。</translation>
    </message>
    <message>
        <source>{}: {}, radius {} mm</source>
        <translation>{}：{}，半径 {} mm</translation>
    </message>
    <message>
        <source>Give a number of millimetres; the field of a heatmap is its weight.</source>
        <translation>请给出毫米数；热力图的字段是其权重。</translation>
    </message>
    <message>
        <source>The method {} does not use {}.</source>
        <translation>方法 {} 不使用 {}。</translation>
    </message>
    <message>
        <source>{} more values ({} features, {} of them without a value) are one category.</source>
        <translation>另有 {} 个值（{} 个要素，其中 {} 个没有值）归为一个类别。</translation>
    </message>
    <message>
        <source>{} of them hold an empty text, which QGIS draws like NULL.</source>
        <translation>其中 {} 个为空文本，QGIS 按 NULL 绘制。</translation>
    </message>
    <message>
        <source>size is the radius in mm here, and &apos;{}&apos; is a text.</source>
        <translation>size 在此是以毫米为单位的半径，而“{}”是文本。</translation>
    </message>
    <message>
        <source>{} of {} features have no weight and count nothing.</source>
        <translation>{1} 个要素中有 {0} 个没有权重，不计入。</translation>
    </message>
    <message>
        <source>No condition was given, so it is about all features.</source>
        <translation>没有给出条件，因此针对所有要素。</translation>
    </message>
    <message>
        <source>Without a screen it is only recorded.</source>
        <translation>没有屏幕，因此只作记录。</translation>
    </message>
    <message>
        <source>No feature matches: the layer shows nothing now.</source>
        <translation>没有符合条件的要素：图层现在不显示任何内容。</translation>
    </message>
    <message>
        <source>The filter that was there before is still in force.</source>
        <translation>原有的过滤器仍在起作用。</translation>
    </message>
    <message>
        <source>Use select_features or query_features.</source>
        <translation>请使用 select_features 或 query_features。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is a table; nothing of it can be drawn.</source>
        <translation>“{}”是表；没有可绘制的内容。</translation>
    </message>
    <message>
        <source>Only the first {} of {} are highlighted.</source>
        <translation>{1} 个中只高亮显示了前 {0} 个。</translation>
    </message>
    <message>
        <source>{} have no geometry.</source>
        <translation>{} 个没有几何图形。</translation>
    </message>
    <message>
        <source>QGIS cleared the selection of {} features.</source>
        <translation>QGIS 清除了 {} 个要素的选择。</translation>
    </message>
    <message>
        <source>The classes have limits of their own now (manual).</source>
        <translation>分级现在使用自定的界限（manual）。</translation>
    </message>
    <message>
        <source>The layer already looks like this; nothing was changed.</source>
        <translation>图层已经是这种样式；没有任何更改。</translation>
    </message>
    <message>
        <source>{}: {}</source>
        <translation>{}：{}</translation>
    </message>
    <message>
        <source>Number of features</source>
        <translation>要素数</translation>
    </message>
    <message>
        <source>A chart is of a layer or of a result: one of layer_id and result_ref.</source>
        <translation>图表来自图层或结果：layer_id 和 result_ref 请二者选一。</translation>
    </message>
    <message>
        <source>A chart of kind {} cannot use the field &apos;{}&apos; ({}) there.</source>
        <translation>{} 类型的图表不能在此处使用字段“{}”（{}）。</translation>
    </message>
    <message>
        <source>The result has no column &apos;{}&apos;.</source>
        <translation>结果中没有列“{}”。</translation>
    </message>
    <message>
        <source>Fields that fit: {}.</source>
        <translation>适用的字段：{}。</translation>
    </message>
    <message>
        <source>The layer comes from a service, so its cells are not read.</source>
        <translation>图层来自服务，因此不读取其像元。</translation>
    </message>
    <message>
        <source>It has no CRS: its place and cell size on the ground are unknown.</source>
        <translation>它没有坐标参照系：不知道它的位置和像元的地面大小。</translation>
    </message>
    <message>
        <source>Points are needed, in one way.</source>
        <translation>需要点，且只能用一种方式给出。</translation>
    </message>
    <message>
        <source>{}: {}, band {}, palette {}</source>
        <translation>{}：{}，波段 {}，配色 {}</translation>
    </message>
    <message>
        <source>where goes with from_layer_id.</source>
        <translation>where 要与 from_layer_id 一起使用。</translation>
    </message>
    <message>
        <source>Reading cells</source>
        <translation>正在读取像元</translation>
    </message>
    <message>
        <source>Give points as [[lon, lat], …] or from_layer_id (a point layer), not both.</source>
        <translation>请以 [[lon, lat], …] 给出 points，或给出 from_layer_id（点图层），不能同时给出。</translation>
    </message>
    <message>
        <source>Give options.bands [red, green, blue], or use method gray or pseudocolor.</source>
        <translation>请给出 options.bands [red, green, blue]，或使用 gray 或 pseudocolor 方法。</translation>
    </message>
    <message>
        <source>Use a raster layer; search_layers tells the kind of each.</source>
        <translation>请使用栅格图层；search_layers 会给出每个图层的类型。</translation>
    </message>
    <message>
        <source>Leave where out, or give from_layer_id instead of points.</source>
        <translation>请去掉 where，或给出 from_layer_id 代替 points。</translation>
    </message>
    <message>
        <source>Use a point layer; for polygons use zonal_statistics.</source>
        <translation>请使用点图层；面请用 zonal_statistics。</translation>
    </message>
    <message>
        <source>Only the first {} of {} bands; ask for others with band.</source>
        <translation>{1} 个波段中只列出前 {0} 个；其他波段请用 band 指定。</translation>
    </message>
    <message>
        <source>{} of {} points lie outside of the raster.</source>
        <translation>{1} 个点中有 {0} 个位于栅格之外。</translation>
    </message>
    <message>
        <source>{} of {} points lie on nodata.</source>
        <translation>{1} 个点中有 {0} 个位于无数据值处。</translation>
    </message>
    <message>
        <source>The method multiband needs three bands, of {} that there are.</source>
        <translation>multiband 方法需要三个波段（共有 {} 个）。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a raster layer.</source>
        <translation>“{}”不是栅格图层。</translation>
    </message>
    <message>
        <source>Points are [lon, lat] in degrees, longitude first.</source>
        <translation>点为 [lon, lat]，以度为单位，经度在前。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no point layer.</source>
        <translation>“{}”不是点图层。</translation>
    </message>
    <message>
        <source>The numbers are from a sample of {} x {} cells.</source>
        <translation>数值来自 {} × {} 个像元的样本。</translation>
    </message>
    <message>
        <source>Point {} is no place on earth.</source>
        <translation>点 {} 不是地球上的地点。</translation>
    </message>
    <message>
        <source>Band {} has no valid cells.</source>
        <translation>波段 {} 没有有效像元。</translation>
    </message>
    <message>
        <source>No layer is visible, so the map of the layout would be empty.</source>
        <translation>没有可见图层，因此布局中的地图会是空的。</translation>
    </message>
    <message>
        <source>The map shows no place, so there is nothing to lay out.</source>
        <translation>地图没有显示任何地点，因此没有可排版的内容。</translation>
    </message>
    <message>
        <source>Show layers with toggle_layer first.</source>
        <translation>请先用 toggle_layer 显示图层。</translation>
    </message>
    <message>
        <source>Use another name.</source>
        <translation>请使用其他名称。</translation>
    </message>
    <message>
        <source>Layout at scale 1:{}</source>
        <translation>布局，比例尺 1:{}</translation>
    </message>
    <message>
        <source>Zoom to a layer first, or give bbox.</source>
        <translation>请先缩放到图层，或给出 bbox。</translation>
    </message>
    <message>
        <source>[west, south, east, north]: longitudes -180 to 180, latitudes -90 to 90.</source>
        <translation>[西, 南, 东, 北]：经度 -180 到 180，纬度 -90 到 90。</translation>
    </message>
    <message>
        <source>Use a point, line or polygon layer for the atlas.</source>
        <translation>请为图集使用点、线或面图层。</translation>
    </message>
    <message>
        <source>QGIS did not take the layout &apos;{}&apos;.</source>
        <translation>QGIS 没有接受布局“{}”。</translation>
    </message>
    <message>
        <source>The name &apos;{}&apos; is taken; the layout is called &apos;{}&apos;.</source>
        <translation>名称“{}”已被占用；布局名为“{}”。</translation>
    </message>
    <message>
        <source>Use another bbox, or change the project CRS.</source>
        <translation>请使用其他 bbox，或更改工程的坐标参照系。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no geometry, so it makes no pages.</source>
        <translation>图层“{}”没有几何图形，因此无法生成页面。</translation>
    </message>
    <message>
        <source>This place cannot be shown in the project&apos;s CRS ({}).</source>
        <translation>该地点无法以工程的坐标参照系（{}）显示。</translation>
    </message>
    <message>
        <source>Written and checked.</source>
        <translation>已写入并检查。</translation>
    </message>
    <message>
        <source>An atlas is exported as one PDF, from a layout that has an atlas layer.</source>
        <translation>图集导出为一个 PDF，布局须设有图集图层。</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Resolution</source>
        <translation>分辨率</translation>
    </message>
    <message>
        <source>Use the format pdf; make the layout with atlas_layer_id.</source>
        <translation>请使用 pdf 格式；建立布局时给出 atlas_layer_id。</translation>
    </message>
    <message>
        <source>Atlas</source>
        <translation>图集</translation>
    </message>
    <message>
        <source>{} pages, {} bytes</source>
        <translation>{} 页，{} 字节</translation>
    </message>
    <message>
        <source>Change by QGIS Agent</source>
        <translation>由 QGIS Agent 更改</translation>
    </message>
    <message>
        <source>Nothing is to be changed.</source>
        <translation>没有要更改的内容。</translation>
    </message>
    <message>
        <source>Use the item_id of a map.</source>
        <translation>请使用地图的 item_id。</translation>
    </message>
    <message>
        <source>Use the item_id of a text or a legend.</source>
        <translation>请使用文本或图例的 item_id。</translation>
    </message>
    <message>
        <source>A legend&apos;s letters follow its size.</source>
        <translation>图例的文字大小随图例大小而定。</translation>
    </message>
    <message>
        <source>Give text or options.</source>
        <translation>请给出 text 或 options。</translation>
    </message>
    <message>
        <source>Its data cannot be read, or it has no CRS.</source>
        <translation>无法读取其数据，或它没有坐标参照系。</translation>
    </message>
    <message>
        <source>Check its filter.</source>
        <translation>请检查它的过滤器。</translation>
    </message>
    <message>
        <source>An item of kind {} needs {}.</source>
        <translation>{} 类型的布局项需要 {}。</translation>
    </message>
    <message>
        <source>{} does not go with an item of kind {}.</source>
        <translation>{} 不适用于 {} 类型的布局项。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no place on the map.</source>
        <translation>图层“{}”在地图上没有位置。</translation>
    </message>
    <message>
        <source>Change the project CRS.</source>
        <translation>请更改工程的坐标参照系。</translation>
    </message>
    <message>
        <source>Give {}.</source>
        <translation>请给出 {}。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; cannot be shown in the project&apos;s CRS.</source>
        <translation>图层“{}”无法以工程的坐标参照系显示。</translation>
    </message>
    <message>
        <source>Looking for what a shapefile cannot hold</source>
        <translation>正在查找 Shapefile 无法保存的内容</translation>
    </message>
    <message>
        <source>Open the project again without saving it.</source>
        <translation>请重新打开工程，不要保存。</translation>
    </message>
    <message>
        <source>QGIS removed {} layers while they were moved.</source>
        <translation>移动图层时，QGIS 移除了 {} 个图层。</translation>
    </message>
    <message>
        <source>Zoom to result</source>
        <translation>缩放到结果</translation>
    </message>
    <message>
        <source>The map stayed where you moved it; this goes to the result.</source>
        <translation>地图停留在您移动到的位置；点此转到结果。</translation>
    </message>
    <message>
        <source>Save image…</source>
        <translation>保存图片…</translation>
    </message>
    <message>
        <source>Copy image</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Save the chart</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>Chart: {title}</source>
        <translation>图表：{title}</translation>
    </message>
    <message>
        <source>The picture could not be written: {reason}</source>
        <translation>无法写入图片：{reason}</translation>
    </message>
    <message>
        <source>The first of limits is not below the second.</source>
        <translation>limits 的第一个值不小于第二个值。</translation>
    </message>
    <message>
        <source>must be the id of a rule</source>
        <translation>必须是规则的 id</translation>
    </message>
    <message>
        <source>Look at the layers again, or ask the person.</source>
        <translation>请重新查看图层，或询问用户。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; was removed from the project meanwhile.</source>
        <translation>图层“{}”在此期间已从工程中移除。</translation>
    </message>
    <message>
        <source>Empty text</source>
        <translation>空文本</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is the alias of {}: give the field&apos;s own name.</source>
        <translation>“{}”是 {} 的别名：请给出字段本身的名称。</translation>
    </message>
    <message>
        <source>Run again with --allow-network {}, or in QGIS.</source>
        <translation>请加上 --allow-network {} 重新运行，或在 QGIS 中运行。</translation>
    </message>
    <message>
        <source>{} rows have a place that cannot be read: QGIS takes them for no features</source>
        <translation>{} 行的位置无法读取：QGIS 不把它们当作要素</translation>
    </message>
    <message>
        <source>nothing came of it.</source>
        <translation>没有产生结果。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; does not go with the format.</source>
        <translation>“{}”与该格式不符。</translation>
    </message>
    <message>
        <source>Use select_features or query_features: they read each feature, whatever its source.</source>
        <translation>请使用 select_features 或 query_features：它们逐个读取要素，与数据源无关。</translation>
    </message>
    <message>
        <source>At this scale the map does not show all of the box that was asked for.</source>
        <translation>在此比例尺下，地图没有显示所要求范围的全部。</translation>
    </message>
    <message>
        <source>The scale 1:{:,} is that of the map&apos;s plane ({}); on the ground, along its middle, it is about 1:{:,}.</source>
        <translation>比例尺 1:{:,} 是地图平面（{}）上的；沿地图中线，地面实际比例尺约为 1:{:,}。</translation>
    </message>
    <message>
        <source>The legend leaves no room for an overview.</source>
        <translation>图例没有给鹰眼图留出空间。</translation>
    </message>
    <message>
        <source>The text of &apos;{}&apos; needs {:.0f} × {:.0f} mm and is cut.</source>
        <translation>“{}”的文本需要 {:.0f} × {:.0f} mm，已被截断。</translation>
    </message>
    <message>
        <source>The table shows the first {} of {} rows.</source>
        <translation>表只显示前 {} 行（共 {} 行）。</translation>
    </message>
    <message>
        <source>The table shows the first {} of {} fields.</source>
        <translation>表只显示前 {} 个字段（共 {} 个字段）。</translation>
    </message>
    <message>
        <source>The text &apos;{}&apos; is too long for its place and is cut.</source>
        <translation>文本“{}”太长，放不下，已被截断。</translation>
    </message>
    <message>
        <source>page {} is missing</source>
        <translation>缺少第 {} 页</translation>
    </message>
    <message>
        <source>The map shows nothing yet, so it has no scale that could be changed.</source>
        <translation>地图尚未显示任何内容，因此没有可更改的比例尺。</translation>
    </message>
    <message>
        <source>Add a layer, or give center with scale, or use zoom_to.</source>
        <translation>请添加图层，或同时给出 center 和 scale，或使用 zoom_to。</translation>
    </message>
    <message>
        <source>list_data_files names the files, with the paths to give.</source>
        <translation>list_data_files 会列出文件及应给出的路径。</translation>
    </message>
    <message>
        <source>and {} more folders of the project&apos;s layers</source>
        <translation>以及工程图层所在的另外 {} 个文件夹</translation>
    </message>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source>Did you mean {}?</source>
        <translation>您是指 {} 吗？</translation>
    </message>
    <message>
        <source>Use letters, digits, &apos;-&apos; and &apos;_&apos;, at most {} bytes.</source>
        <translation>请使用字母、数字、“-”和“_”，最多 {} 字节。</translation>
    </message>
    <message>
        <source>In that folder: {}.</source>
        <translation>该文件夹中有：{}。</translation>
    </message>
    <message>
        <source>The file&apos;s grid is turned; QGIS draws it resampled to {} x {} cells. The numbers here are of the file&apos;s cells.</source>
        <translation>文件的格网是旋转的；QGIS 将其重采样为 {} × {} 个像元后绘制。此处的数值取自文件的像元。</translation>
    </message>
    <message>
        <source>Band {} of the layer is the file&apos;s mask; cells that it takes out are not read.</source>
        <translation>图层的波段 {} 是文件的掩膜；被它排除的像元不读取。</translation>
    </message>
    <message>
        <source>The numbers could be degrees with longitude and latitude swapped.</source>
        <translation>这些数可能是度，但经度和纬度互换了。</translation>
    </message>
    <message>
        <source>The coordinates reach to ({:g}, {:g}), which are no degrees, while others can be: some features are wrong (longitude and latitude may be swapped there), or the CRS is. Find out which before using another CRS.</source>
        <translation>坐标最远达到 ({:g}, {:g})，这不是度，而其他坐标可能是度：要么部分要素有误（其经度和纬度可能互换了），要么坐标参照系不对。使用其他坐标参照系之前，请先查明是哪一种情况。</translation>
    </message>
    <message>
        <source>{} of {} features have coordinates that are no degrees, for example ({:g}, {:g}); the others fit the CRS. Ask for these to be put right in the source; do not set another CRS.</source>
        <translation>有 {} 个要素（共 {} 个）的坐标不是度，例如 ({:g}, {:g})；其余要素符合坐标参照系。请要求在数据源中更正这些坐标；不要设置其他坐标参照系。</translation>
    </message>
    <message>
        <source>Their longitude and latitude look swapped.</source>
        <translation>它们的经度和纬度看起来互换了。</translation>
    </message>
    <message>
        <source>Not all of the numbers can be degrees ({:g}, {:g}).</source>
        <translation>这些数不可能全部是度 ({:g}, {:g})。</translation>
    </message>
    <message>
        <source>a line of it has no end</source>
        <translation>其中有一行没有结尾</translation>
    </message>
    <message>
        <source>Check the separator, or ask for the table with fewer columns.</source>
        <translation>请检查分隔符，或索取列数较少的表。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has {} columns; at most {} can be read.</source>
        <translation>“{}”有 {} 列；最多可读取 {} 列。</translation>
    </message>
    <message>
        <source>it is too big when it is unpacked</source>
        <translation>解压后太大</translation>
    </message>
    <message>
        <source>a .tab of more than 1 MB describes no table</source>
        <translation>大于 1 MB 的 .tab 不是表的描述文件</translation>
    </message>
    <message>
        <source>The raw text of a file in this kind of archive cannot be looked at.</source>
        <translation>无法查看此类压缩包中文件的原始文本。</translation>
    </message>
    <message>
        <source>Unpack the archive and add the file, or add it from a .zip.</source>
        <translation>请解压后添加文件，或从 .zip 添加。</translation>
    </message>
    <message>
        <source>It has no files that may be read. Ask for another archive.</source>
        <translation>其中没有可以读取的文件。请索取其他压缩包。</translation>
    </message>
    <message>
        <source>Ask the person to rename it.</source>
        <translation>请让用户重命名。</translation>
    </message>
    <message>
        <source>The name of &apos;{}&apos; or of its folder has a &apos;|&apos;, which QGIS reads as options.</source>
        <translation>“{}”或其文件夹的名称含有“|”，QGIS 会把它当作选项。</translation>
    </message>
    <message>
        <source>A tile service has no layers to choose from.</source>
        <translation>切片服务没有可供选择的图层。</translation>
    </message>
    <message>
        <source>Leave layer out; its address names what is drawn.</source>
        <translation>请去掉 layer；绘制的内容由其地址指定。</translation>
    </message>
    <message>
        <source>Leave crs out: the tiles are drawn in the map&apos;s CRS all the same. For tiles in another CRS use kind wmts or wms.</source>
        <translation>请去掉 crs：切片仍会以地图的坐标参照系绘制。如需其他坐标参照系的切片，请将 kind 设为 wmts 或 wms。</translation>
    </message>
    <message>
        <source>Options without effect on a service of kind {}: {}.</source>
        <translation>对 {} 类型的服务不起作用的选项：{}。</translation>
    </message>
    <message>
        <source>Tiles by z, x and y are in EPSG:3857, not in {}.</source>
        <translation>按 z、x、y 取的切片使用 EPSG:3857，而不是 {}。</translation>
    </message>
    <message>
        <source>Options for it: {}.</source>
        <translation>可用的选项：{}。</translation>
    </message>
    <message>
        <source>Add the table without coordinates, and look at its rows.</source>
        <translation>请不带坐标添加该表，再查看它的行。</translation>
    </message>
    <message>
        <source>Ask for a plain GeoPackage with the data alone.</source>
        <translation>请索取只含数据的普通 GeoPackage。</translation>
    </message>
    <message>
        <source>The database &apos;{}&apos; has a table that can read other files ({}).</source>
        <translation>数据库“{}”中有一个可以读取其他文件的表（{}）。</translation>
    </message>
    <message>
        <source>The column &apos;{}&apos; holds coordinates that cannot be read (for example &apos;{}&apos;).</source>
        <translation>列“{}”包含无法读取的坐标（例如“{}”）。</translation>
    </message>
    <message>
        <source>Decimal degrees are needed, not degrees with minutes: ask for such columns.</source>
        <translation>需要十进制度，而不是度分格式：请索取十进制度的列。</translation>
    </message>
    <message>
        <source>Ask for the cell to be emptied or put right in the file.</source>
        <translation>请要求在文件中清空或更正该单元格。</translation>
    </message>
    <message>
        <source>The column &apos;{}&apos; is empty.</source>
        <translation>列“{}”为空。</translation>
    </message>
    <message>
        <source>Choose another column; inspect_data_file shows what is in each.</source>
        <translation>请选择其他列；各列的内容见 inspect_data_file。</translation>
    </message>
    <message>
        <source>{} of {} rows are blank or have WKT that cannot be read, and are not in the layer.</source>
        <translation>{1} 行中有 {0} 行为空或 WKT 无法读取，不在图层中。</translation>
    </message>
    <message>
        <source>{} rows of the layer have no coordinates, so no place on the map.</source>
        <translation>图层中有 {} 行没有坐标，因此在地图上没有位置。</translation>
    </message>
    <message>
        <source>{} lines before the column names were left out as title or comment: &apos;{}&apos;.</source>
        <translation>列名之前的 {} 行已作为标题或注释忽略：“{}”。</translation>
    </message>
    <message>
        <source>{} columns have no name in the first row (&apos;{}&apos;): is it the row of column names?</source>
        <translation>第一行中有 {} 列没有名称（“{}”）：它是列名行吗？</translation>
    </message>
    <message>
        <source>With this separator there is one column; the text looks separated by {}.</source>
        <translation>按此分隔符只有一列；文本看起来是用 {} 分隔的。</translation>
    </message>
    <message>
        <source>{} lines have characters that cannot be read as {}: the encoding is wrong or mixed.</source>
        <translation>{} 行含有无法按 {} 读取的字符：编码有误或混用。</translation>
    </message>
    <message>
        <source>{} of {} rows have no usable coordinates and are not in the layer{}.</source>
        <translation>{1} 行中有 {0} 行没有可用的坐标{2}，不在图层中。</translation>
    </message>
    <message>
        <source> (for example &apos;{}&apos;)</source>
        <translation> （例如“{}”）</translation>
    </message>
    <message>
        <source>&apos;{}&apos; was read with decimals ({}), but all its points could part thousands: ask. With text_fields it stays as written.</source>
        <translation>“{}”按小数读取（{}），但其中所有的点都可能是千位分隔符：请先询问。用 text_fields 可保持原样。</translation>
    </message>
    <message>
        <source>{} of {} rows are blank and are not in the layer.</source>
        <translation>{1} 行中有 {0} 行为空，不在图层中。</translation>
    </message>
    <message>
        <source>its text is read as {} but looks like {}: ask, then use set_layer_encoding</source>
        <translation>其文本按 {} 读取，但看起来像 {}：请先询问，再使用 set_layer_encoding</translation>
    </message>
    <message>
        <source>The name of the host must stand as it is, without places for numbers.</source>
        <translation>主机名必须照实写出，不能含有占位符。</translation>
    </message>
    <message>
        <source>Give the address with one of the hosts, for example https://a.host/{z}/{x}/{y}.</source>
        <translation>请给出使用其中一个主机的地址，例如 https://a.host/{z}/{x}/{y}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has {} sheets.</source>
        <translation>“{}”有 {} 个工作表。</translation>
    </message>
    <message>
        <source>{} of {} features are drawn by no class.</source>
        <translation>{1} 个要素中有 {0} 个不属于任何类别，不会绘制。</translation>
    </message>
    <message>
        <source>These classes draw no feature: {}.</source>
        <translation>以下类别没有绘制任何要素：{}。</translation>
    </message>
    <message>
        <source>Give a text; to hide a class set its visible to false with patch_style.</source>
        <translation>请给出文本；要隐藏类别，请用 patch_style 将其 visible 设为 false。</translation>
    </message>
    <message>
        <source>The text of class &apos;{}&apos; is empty, so the legend would not say what it is.</source>
        <translation>类别“{}”的文本为空，因此图例无法说明它是什么。</translation>
    </message>
    <message>
        <source>Give plain text without &quot;[%&quot; and tags such as &lt;b&gt;; &quot;&lt; 100&quot; is one.</source>
        <translation>请给出纯文本，不要带“[%”和 &lt;b&gt; 之类的标签；“&lt; 100”可以使用。</translation>
    </message>
    <message>
        <source>{} {}.</source>
        <translation>{} {}。</translation>
    </message>
    <message>
        <source>Did you mean &apos;{}&apos;?</source>
        <translation>您是不是指“{}”？</translation>
    </message>
    <message>
        <source>Write {:g}.</source>
        <translation>请写 {:g}。</translation>
    </message>
    <message>
        <source>Write {}.</source>
        <translation>请写 {}。</translation>
    </message>
    <message>
        <source>The colours of {} tell kinds apart and have no order from low to high; {} or {} show an order.</source>
        <translation>{} 的颜色用于区分种类，没有从低到高的顺序；{} 或 {} 可以体现顺序。</translation>
    </message>
    <message>
        <source>It was drawn by the bands {}, and is by band {} now.</source>
        <translation>原来按波段 {} 绘制，现在按波段 {} 绘制。</translation>
    </message>
    <message>
        <source>{:.1f} % of the cells of band {} are drawn by no class (values go from {} to {}).</source>
        <translation>波段 {1} 有 {0:.1f} % 的像元不属于任何分级，不会绘制（值在 {2} 到 {3} 之间）。</translation>
    </message>
    <message>
        <source>No cell of band {} lies within the limits {} to {}: the values go from {} to {}, so no difference is seen.</source>
        <translation>波段 {} 没有像元位于界限 {} 到 {} 之内：值在 {} 到 {} 之间，因此看不出差别。</translation>
    </message>
    <message>
        <source>{:.0f} % of the cells of band {} lie outside of the limits {} to {} (the values go from {} to {}).</source>
        <translation>波段 {1} 有 {0:.0f} % 的像元位于界限 {2} 到 {3} 之外（值在 {4} 到 {5} 之间）。</translation>
    </message>
    <message>
        <source>The limits of band {}, {} to {}, are wide for values from {} to {}: there is little contrast.</source>
        <translation>波段 {} 的界限（{} 到 {}）相对于值的范围（{} 到 {}）过宽：对比度很低。</translation>
    </message>
    <message>
        <source>All cells of band {} ({} to {}) fall into one of the {} classes.</source>
        <translation>波段 {} 的所有像元（{} 到 {}）都落入 {} 个分级中的同一个。</translation>
    </message>
    <message>
        <source>{} (width by {}: {:g} mm = {})</source>
        <translation>{}（线宽按 {}：{:g} mm = {}）</translation>
    </message>
    <message>
        <source>{} (circles by {}: {:g} mm = {})</source>
        <translation>{}（圆的大小按 {}：{:g} mm = {}）</translation>
    </message>
    <message>
        <source>Write {} (#rrggbb).</source>
        <translation>请写 {}（#rrggbb）。</translation>
    </message>
    <message>
        <source>The legend title &apos;{}&apos; was left; set_legend changes it.</source>
        <translation>图例标题“{}”保持不变；可用 set_legend 更改。</translation>
    </message>
    <message>
        <source>The legend title &apos;{}&apos; belonged to the earlier style and was taken away.</source>
        <translation>图例标题“{}”属于之前的样式，已去掉。</translation>
    </message>
    <message>
        <source>Or use method categorized.</source>
        <translation>或使用 categorized 方法。</translation>
    </message>
    <message>
        <source>set_raster_style takes the limits from a raster&apos;s own cells.</source>
        <translation>set_raster_style 会根据栅格自身的像元计算界限。</translation>
    </message>
    <message>
        <source>Left out, for without a CRS or with a wrong one they have no place on earth: {}.</source>
        <translation>以下图层没有坐标参照系或坐标参照系有误，不对应地球上的任何位置，已忽略：{}。</translation>
    </message>
    <message>
        <source>No visible layer has a place on earth.</source>
        <translation>可见图层都不对应地球上的任何位置。</translation>
    </message>
    <message>
        <source>Let the person say the CRS of {} (set_layer_crs).</source>
        <translation>请让用户指明 {} 的坐标参照系（set_layer_crs）。</translation>
    </message>
    <message>
        <source>It is a temporary copy of the table with points: it ends with the session unless kept.</source>
        <translation>它是该表带点的临时副本：除非保留，否则会随会话结束而消失。</translation>
    </message>
    <message>
        <source>Making points</source>
        <translation>正在生成点</translation>
    </message>
    <message>
        <source>Leave them out: this file states the types of its columns.</source>
        <translation>请去掉它们：此文件自带列类型声明。</translation>
    </message>
    <message>
        <source>These options are for delimited text, which &apos;{}&apos; is not: {}.</source>
        <translation>这些选项用于分隔文本，而“{}”不是分隔文本：{}。</translation>
    </message>
    <message>
        <source>{} of {} rows have no usable coordinates, so no place on the map{}.</source>
        <translation>{1} 行中有 {0} 行没有可用的坐标，因此在地图上没有位置{2}。</translation>
    </message>
    <message>
        <source>curves are not drawn: use a line or polygon with points along them</source>
        <translation>不绘制曲线：请改用沿曲线取点的线或面</translation>
    </message>
    <message>
        <source>It is not drawn at the present scale.</source>
        <translation>它在当前比例尺下不绘制。</translation>
    </message>
    <message>
        <source>{} other layers are shown with it.</source>
        <translation>另有 {} 个图层随之显示。</translation>
    </message>
    <message>
        <source>{} other layers are hidden: its group shows one at a time.</source>
        <translation>另有 {} 个图层被隐藏：它所在的组一次只显示一个图层。</translation>
    </message>
    <message>
        <source>Some features are in both sets, and each is 0 m away from itself.</source>
        <translation>有些要素同时在两个集合中，而要素与自身的距离为 0 m。</translation>
    </message>
    <message>
        <source>{} polygons are invalid (rings cross or holes lie outside), so their areas are doubtful: {}.</source>
        <translation>{} 个面无效（环相交或孔洞位于外部），因此其面积存疑：{}。</translation>
    </message>
    <message>
        <source>{} invalid polygons come out below zero (the holes outweigh the rest) and are left out: {}.</source>
        <translation>{} 个无效面的面积为负（孔洞大于其余部分），已忽略：{}。</translation>
    </message>
    <message>
        <source>The way along the points in the layer&apos;s order is {:.1f} m.</source>
        <translation>按图层中的顺序依次经过各点的路程为 {:.1f} m。</translation>
    </message>
    <message>
        <source>It has no geometry, so it has no place on the map.</source>
        <translation>它没有几何图形，因此在地图上没有位置。</translation>
    </message>
    <message>
        <source>They are too many for a condition: use the selection (use_selection).</source>
        <translation>数量太多，无法写成条件：请使用当前选择（use_selection）。</translation>
    </message>
    <message>
        <source>Try the full name or the code, as the data writes it (names are not translated), or see the names with list_values.</source>
        <translation>请使用全称或代码，写法须与数据一致（名称不会翻译），或用 list_values 查看名称。</translation>
    </message>
    <message>
        <source>Nothing tells it from others: where finds {} features, not {}.</source>
        <translation>无法将其与其他要素区分：where 找到 {} 个要素，而不是 {} 个。</translation>
    </message>
    <message>
        <source>Names that look like it: {}. Let the person choose from data.options.</source>
        <translation>相近的名称：{}。请让用户从 data.options 中选择。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; can mean {} places or more.</source>
        <translation>“{}”可能指 {} 个或更多地点。</translation>
    </message>
    <message>
        <source>{} are infinite or no number (NaN) and are not part of it.</source>
        <translation>{} 个值为无穷大或不是数字（NaN），未计入。</translation>
    </message>
    <message>
        <source>Or give size in millimetres.</source>
        <translation>或以毫米为单位给出 size。</translation>
    </message>
    <message>
        <source>Legends cannot show these sizes, so the legend title tells the largest.</source>
        <translation>图例无法显示这些大小，因此由图例标题说明最大值。</translation>
    </message>
    <message>
        <source>Without field every point counts the same.</source>
        <translation>不给出 field 时，每个点的权重相同。</translation>
    </message>
    <message>
        <source>Legends cannot show these sizes; the title could tell the largest: &apos;{}&apos;.</source>
        <translation>图例无法显示这些大小；可由标题说明最大值：“{}”。</translation>
    </message>
    <message>
        <source>{} of {} classes hold no feature: {}.</source>
        <translation>{1} 个分级中有 {0} 个不含要素：{2}。</translation>
    </message>
    <message>
        <source>Perhaps because {}.</source>
        <translation>可能是因为{}。</translation>
    </message>
    <message>
        <source>With opacity 0 nothing of the layer is seen.</source>
        <translation>不透明度为 0 时，图层完全不可见。</translation>
    </message>
    <message>
        <source>The layer draws nothing now.</source>
        <translation>图层现在不绘制任何内容。</translation>
    </message>
    <message>
        <source>{} of {} parts lie on the other side; in EPSG:4326 all of it can be shown.</source>
        <translation>{1} 个部分中有 {0} 个位于另一侧；在 EPSG:4326 中可以全部显示。</translation>
    </message>
    <message>
        <source>Zoom to a layer with geometry, or use resolve_place or bbox.</source>
        <translation>请缩放到带几何图形的图层，或使用 resolve_place 或 bbox。</translation>
    </message>
    <message>
        <source>See the field&apos;s values with list_values, or look for the place with resolve_place.</source>
        <translation>请用 list_values 查看字段的值，或用 resolve_place 查找地点。</translation>
    </message>
    <message>
        <source>Look at it with describe_layer.</source>
        <translation>请用 describe_layer 查看它。</translation>
    </message>
    <message>
        <source>A filter hides features of &apos;{}&apos; ({}): take it away with set_layer_filter, or use another field.</source>
        <translation>过滤器隐藏了“{}”的要素（{}）：请用 set_layer_filter 去掉过滤器，或使用其他字段。</translation>
    </message>
    <message>
        <source>sum of {}</source>
        <translation>{} 的总和</translation>
    </message>
    <message>
        <source>mean of {}</source>
        <translation>{} 的平均值</translation>
    </message>
    <message>
        <source>At {} of {} points the value is {}, which looks like undeclared nodata; min, max and mean leave it out.</source>
        <translation>{1} 个点中有 {0} 个的值为 {2}，看起来是未声明的无数据值；min、max 和 mean 未计入它。</translation>
    </message>
    <message>
        <source>Filter the atlas layer (set_layer_filter), or export it in QGIS.</source>
        <translation>请过滤图集图层（set_layer_filter），或在 QGIS 中导出。</translation>
    </message>
    <message>
        <source>Further pages</source>
        <translation>其余页面</translation>
    </message>
    <message>
        <source>{}: {} pages at most</source>
        <translation>{}：最多 {} 页</translation>
    </message>
    <message>
        <source>The atlas has {} pages; at most {} are exported, for QGIS does not respond meanwhile.</source>
        <translation>图集有 {} 页；最多导出 {} 页，因为导出期间 QGIS 不会响应。</translation>
    </message>
    <message>
        <source>Leave it out; it goes with {}.</source>
        <translation>请去掉它；它只用于 {}。</translation>
    </message>
    <message>
        <source>State its CRS with set_layer_crs first, or use the format GPKG.</source>
        <translation>请先用 set_layer_crs 指定其坐标参照系，或使用 GPKG 格式。</translation>
    </message>
    <message>
        <source>{} of {} points have no value in &apos;{}&apos;; its aggregates leave them out.</source>
        <translation>{1} 个点中有 {0} 个在“{2}”中没有值；其汇总不计这些点。</translation>
    </message>
    <message>
        <source>has its limits the wrong way round, so nothing would match</source>
        <translation>的上下限颠倒了，不会匹配任何要素</translation>
    </message>
    <message>
        <source>Give [{}, {}]: the low one first.</source>
        <translation>请给出 [{}, {}]：较小的在前。</translation>
    </message>
    <message>
        <source>Write the numbers of features into the texts of the classes with labels instead.</source>
        <translation>请改用 labels 把要素个数写进各类别的文字。</translation>
    </message>
    <message>
        <source>The legend of &apos;{}&apos; explains sizes, and QGIS would write [0] beside them.</source>
        <translation>“{}”的图例说明了大小，QGIS 会在其旁边写出 [0]。</translation>
    </message>
    <message>
        <source>Give where and other_where that choose different features.</source>
        <translation>请给出选中不同要素的 where 和 other_where。</translation>
    </message>
    <message>
        <source>What a filter hides is not found; filters are in force in: {}.</source>
        <translation>被过滤器隐藏的要素无法找到；以下图层有过滤器在起作用：{}。</translation>
    </message>
    <message>
        <source>Each page of the atlas has a scale of its own, at which its feature fits.</source>
        <translation>图集的每一页都有各自的比例尺，使其要素完整显示。</translation>
    </message>
    <message>
        <source>The overview leaves out what has no place on the map: {}.</source>
        <translation>鹰眼图略去了在地图上没有位置的内容：{}。</translation>
    </message>
    <message>
        <source>It is the name of each atlas page; add a text beside it.</source>
        <translation>它是图集每一页的名称；请在旁边另加文本。</translation>
    </message>
    <message>
        <source>The legend no longer counts features: QGIS would write [0] beside the sizes.</source>
        <translation>图例不再显示要素个数：QGIS 会在大小旁边写出 [0]。</translation>
    </message>
    <message>
        <source>it is given options of a command line or SQL</source>
        <translation>它接收命令行或 SQL 的选项</translation>
    </message>
    <message>
        <source>it must be a text</source>
        <translation>必须是文本</translation>
    </message>
    <message>
        <source>Give a formula.</source>
        <translation>请给出公式。</translation>
    </message>
    <message>
        <source>it must be a list of objects</source>
        <translation>必须是对象列表</translation>
    </message>
    <message>
        <source>See describe_algorithm.</source>
        <translation>请参阅 describe_algorithm。</translation>
    </message>
    <message>
        <source>where a result goes is chosen by QGIS</source>
        <translation>结果的位置由 QGIS 选定</translation>
    </message>
    <message>
        <source>Leave it out; prepare_export_layer writes a result to a file.</source>
        <translation>请去掉它；prepare_export_layer 可将结果写入文件。</translation>
    </message>
    <message>
        <source>{} is not run by the agent: {}.</source>
        <translation>智能体不运行 {}：{}。</translation>
    </message>
    <message>
        <source>A person can run it in the Processing toolbox.</source>
        <translation>用户可以在处理工具箱中运行它。</translation>
    </message>
    <message>
        <source>there is no aggregate &apos;{}&apos;</source>
        <translation>没有聚合函数“{}”</translation>
    </message>
    <message>
        <source>Aggregates: {}.</source>
        <translation>聚合函数：{}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; cannot be taken as the name of a field</source>
        <translation>“{}”不能用作字段名</translation>
    </message>
    <message>
        <source>See the tool&apos;s parameters: distance_m in metres, options for the rest.</source>
        <translation>请参阅该工具的参数：distance_m 以米为单位，其余用 options。</translation>
    </message>
    <message>
        <source>A buffer of 0 m changes nothing.</source>
        <translation>0 m 的缓冲区不起任何作用。</translation>
    </message>
    <message>
        <source>Only polygons can be buffered inwards, by one distance.</source>
        <translation>只有面可以向内缓冲，且只能用一个距离。</translation>
    </message>
    <message>
        <source>rings are the distances inside of distance_m: above 0, ascending, below it.</source>
        <translation>rings 是 distance_m 以内的各个距离：大于 0，升序，小于 distance_m。</translation>
    </message>
    <message>
        <source>side and end_cap are for lines only.</source>
        <translation>side 和 end_cap 只用于线。</translation>
    </message>
    <message>
        <source>Rings on one side of a line are not made.</source>
        <translation>不支持在线的单侧建立多环缓冲区。</translation>
    </message>
    <message>
        <source>The features lie too far apart for this kind of buffer in one metric plane.</source>
        <translation>要素相距太远，无法在同一个以米为单位的平面中建立这种缓冲区。</translation>
    </message>
    <message>
        <source>Choose fewer features with where, or use a plain buffer (no side, no end_cap, discs).</source>
        <translation>请用 where 少选一些要素，或使用普通缓冲区（不用 side 和 end_cap，选 discs）。</translation>
    </message>
    <message>
        <source>Measuring the buffers</source>
        <translation>正在量测缓冲区</translation>
    </message>
    <message>
        <source>the ring around a point has {:.6g} m² instead of {:.6g} m².</source>
        <translation>点周围的环面积为 {:.6g} m²，应为 {:.6g} m²。</translation>
    </message>
    <message>
        <source>inwards the polygons have {:.6g} m² instead of less than {:.6g} m².</source>
        <translation>向内缓冲后面的面积为 {:.6g} m²，应小于 {:.6g} m²。</translation>
    </message>
    <message>
        <source>Letters A to F for the rasters, numbers, + - * / **, comparisons, {}.</source>
        <translation>可用：表示栅格的字母 A 到 F、数字、+ - * / **、比较运算、{}。</translation>
    </message>
    <message>
        <source>The formula is refused at &apos;{}&apos;.</source>
        <translation>公式在“{}”处不被接受。</translation>
    </message>
    <message>
        <source>1 to {} characters.</source>
        <translation>1 到 {} 个字符。</translation>
    </message>
    <message>
        <source>Bands as &quot;layer name@1&quot;, numbers, + - * / ^, comparisons, AND, OR, {}.</source>
        <translation>可用：&quot;layer name@1&quot; 形式的波段、数字、+ - * / ^、比较运算、AND、OR、{}。</translation>
    </message>
    <message>
        <source>Use the type text, or convert in the formula: to_int, to_real, to_date, inside try().</source>
        <translation>请使用 text 类型，或在公式中转换：在 try() 内使用 to_int、to_real、to_date。</translation>
    </message>
    <message>
        <source>Put try() around what can fail: try(to_int(&quot;a&quot;)) is NULL then.</source>
        <translation>请用 try() 包住可能出错的部分：这样 try(to_int(&quot;a&quot;)) 得到 NULL。</translation>
    </message>
    <message>
        <source>area(), length() and the like are in square degrees and degrees here; $area, $length and $perimeter are in m² and metres.</source>
        <translation>此处 area()、length() 等以平方度和度为单位；$area、$length 和 $perimeter 以 m² 和米为单位。</translation>
    </message>
    <message>
        <source>Use the type number.</source>
        <translation>请使用 number 类型。</translation>
    </message>
    <message>
        <source>The formula fails, first for feature {}: {}.</source>
        <translation>公式出错，最先出错的是要素 {}：{}。</translation>
    </message>
    <message>
        <source>The value {} of feature {} does not fit the type {}.</source>
        <translation>值 {}（要素 {}）不适合类型 {}。</translation>
    </message>
    <message>
        <source>area(), length() and the like are in units of the CRS; $area and $length are not.</source>
        <translation>area()、length() 等以坐标参照系的单位计；$area 和 $length 则不是。</translation>
    </message>
    <message>
        <source>Look at the values with query_features; fields are in double quotes.</source>
        <translation>请用 query_features 查看取值；字段要加双引号。</translation>
    </message>
    <message>
        <source>{} of {} values are NULL, {} of them although no field used is NULL (division by zero, or a text that cannot be read).</source>
        <translation>{1} 个值中有 {0} 个为 NULL，其中 {2} 个所用的字段都不为 NULL（除以零，或文本无法读取）。</translation>
    </message>
    <message>
        <source>{} values were rounded to whole numbers.</source>
        <translation>{} 个值已四舍五入为整数。</translation>
    </message>
    <message>
        <source>The formula gives NULL for all {} features, so nothing was made.</source>
        <translation>公式对全部 {} 个要素都得到 NULL，因此没有生成任何内容。</translation>
    </message>
    <message>
        <source>The layer is too large for a local plane, so degrees were taken as a plane.</source>
        <translation>图层太大，无法使用局部平面，因此把度当作平面坐标。</translation>
    </message>
    <message>
        <source>planar, in the layer&apos;s CRS {}</source>
        <translation>平面，按图层的坐标参照系 {}</translation>
    </message>
    <message>
        <source>The layer is too large for a local plane: nothing moved by more than {:g} m, in places by {:.0%} less.</source>
        <translation>图层太大，无法使用局部平面：移动都不超过 {:g} m，部分位置少 {:.0%}。</translation>
    </message>
    <message>
        <source>Take a smaller area (where), or reproject_layer to a metric CRS of the region first.</source>
        <translation>请选取较小的区域（where），或先用 reproject_layer 重投影到该地区以米为单位的坐标参照系。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is too large, or lies at a pole or across 180°, for distances in metres.</source>
        <translation>“{}”太大，或位于极点，或跨越 180°，无法使用以米为单位的距离。</translation>
    </message>
    <message>
        <source>{} needs a distance in metres.</source>
        <translation>{} 需要以米为单位的距离。</translation>
    </message>
    <message>
        <source>No gap is longer than {:g} m.</source>
        <translation>间距都不超过 {:g} m。</translation>
    </message>
    <message>
        <source>Give options.{}.</source>
        <translation>请给出 options.{}。</translation>
    </message>
    <message>
        <source>a derived geometry does not fit its feature.</source>
        <translation>有派生的几何图形与其要素不符。</translation>
    </message>
    <message>
        <source>{} does not fit the field &apos;{}&apos; ({}).</source>
        <translation>{} 不适用于字段“{}”（{}）。</translation>
    </message>
    <message>
        <source>{} gives {} instead of {}</source>
        <translation>{} 得到 {}，应为 {}</translation>
    </message>
    <message>
        <source>{} of {} features have no value in &apos;{}&apos;; its aggregates leave them out.</source>
        <translation>{1} 个要素中有 {0} 个在“{2}”中没有值；其聚合不计入它们。</translation>
    </message>
    <message>
        <source>Fields that fit: {}. Numbers that are text: make a number field first.</source>
        <translation>适用的字段：{}。若数字存为文本，请先建立数值字段。</translation>
    </message>
    <message>
        <source>{} groups instead of {}</source>
        <translation>得到 {} 个分组，应为 {} 个</translation>
    </message>
    <message>
        <source>the groups hold {} features instead of {}</source>
        <translation>各分组共有 {} 个要素，应为 {} 个</translation>
    </message>
    <message>
        <source>merged, the features have the size {:.8g} instead of at most {:.8g}</source>
        <translation>合并后要素的大小为 {:.8g}，应不超过 {:.8g}</translation>
    </message>
    <message>
        <source>what it does is not known</source>
        <translation>不清楚它的作用</translation>
    </message>
    <message>
        <source>a tool of its own does this, and it can be undone</source>
        <translation>有专门的工具可以完成，而且可以撤销</translation>
    </message>
    <message>
        <source>it writes columns into the source of its input</source>
        <translation>它会向输入的数据源写入列</translation>
    </message>
    <message>
        <source>the data or the caller would name the files it writes</source>
        <translation>它写入的文件名由数据或调用者决定</translation>
    </message>
    <message>
        <source>it connects to the network</source>
        <translation>它会连接网络</translation>
    </message>
    <message>
        <source>it starts another program or a device</source>
        <translation>它会启动其他程序或设备</translation>
    </message>
    <message>
        <source>it opens files that are no layers of the project</source>
        <translation>它会打开不属于工程图层的文件</translation>
    </message>
    <message>
        <source>a password would be part of the call</source>
        <translation>调用中会包含密码</translation>
    </message>
    <message>
        <source>it only makes sense inside a model</source>
        <translation>它只在模型内才有意义</translation>
    </message>
    <message>
        <source>it changes the project itself</source>
        <translation>它会更改工程本身</translation>
    </message>
    <message>
        <source>it starts the agent</source>
        <translation>它会启动智能体</translation>
    </message>
    <message>
        <source>it changes the data source of its input</source>
        <translation>它会更改输入的数据源</translation>
    </message>
    <message>
        <source>it writes a file beside the data source</source>
        <translation>它会在数据源旁边写入文件</translation>
    </message>
    <message>
        <source>it writes into a database</source>
        <translation>它会写入数据库</translation>
    </message>
    <message>
        <source>it runs SQL</source>
        <translation>它会运行 SQL</translation>
    </message>
    <message>
        <source>it runs code</source>
        <translation>它会运行代码</translation>
    </message>
    <message>
        <source>it is not part of QGIS, so what it does is not known</source>
        <translation>它不属于 QGIS，因此不清楚它的作用</translation>
    </message>
    <message>
        <source>Use a field type, length or precision that holds the values (text, or a 64-bit integer).</source>
        <translation>请使用能容纳这些值的字段类型、长度或精度（文本，或 64 位整数）。</translation>
    </message>
    <message>
        <source>The layer mixes kinds of geometry, a result has one: run native:filterbygeometry first.</source>
        <translation>图层混有多种几何类型，而结果只能有一种：请先运行 native:filterbygeometry。</translation>
    </message>
    <message>
        <source>Another program holds the file: end its edit there, or wait a little, and try again.</source>
        <translation>另一个程序占用了该文件：请在那里结束编辑，或稍等片刻再试。</translation>
    </message>
    <message>
        <source>Make room on the disk for temporary files, or use fewer features (where).</source>
        <translation>请为临时文件腾出磁盘空间，或使用较少的要素（where）。</translation>
    </message>
    <message>
        <source>QGIS may not write there; use another folder for temporary files.</source>
        <translation>QGIS 无法写入该处；请为临时文件使用其他文件夹。</translation>
    </message>
    <message>
        <source>Check that the layer&apos;s file is still there.</source>
        <translation>请检查图层的文件是否还在。</translation>
    </message>
    <message>
        <source>The layer&apos;s file is damaged: get a sound copy of it.</source>
        <translation>图层的文件已损坏：请换用完好的副本。</translation>
    </message>
    <message>
        <source>Repair a copy with fix_geometries first, and use that.</source>
        <translation>请先用 fix_geometries 修复副本，然后使用该副本。</translation>
    </message>
    <message>
        <source>The layer&apos;s data could not be read: {}</source>
        <translation>无法读取图层的数据：{}</translation>
    </message>
    <message>
        <source>{}: {} features do not fit into the result and would be lost: {}</source>
        <translation>{}：有 {} 个要素不适合写入结果，将会丢失：{}</translation>
    </message>
    <message>
        <source>Fields in double quotes (&quot;name&quot;), texts in single quotes (&apos;text&apos;).</source>
        <translation>字段用双引号（&quot;name&quot;），文本用单引号（&apos;text&apos;）。</translation>
    </message>
    <message>
        <source>Compute it in several steps.</source>
        <translation>请分几步计算。</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>内容为空</translation>
    </message>
    <message>
        <source>For example &quot;population&quot; / 2.</source>
        <translation>例如 &quot;population&quot; / 2。</translation>
    </message>
    <message>
        <source>Use aggregate_layer or dissolve_layer for sums over features.</source>
        <translation>对多个要素求和请使用 aggregate_layer 或 dissolve_layer。</translation>
    </message>
    <message>
        <source>Only functions of values, geometry and the feature&apos;s own fields may be used.</source>
        <translation>只能使用针对值、几何和要素自身字段的函数。</translation>
    </message>
    <message>
        <source>it is nested more than {} deep</source>
        <translation>嵌套超过 {} 层</translation>
    </message>
    <message>
        <source>The formula is refused: {}.</source>
        <translation>公式不被接受：{}。</translation>
    </message>
    <message>
        <source>it has {} characters</source>
        <translation>有 {} 个字符</translation>
    </message>
    <message>
        <source>At most {}.</source>
        <translation>最多 {}。</translation>
    </message>
    <message>
        <source>the function &apos;{}&apos; may not be used</source>
        <translation>不允许使用函数“{}”</translation>
    </message>
    <message>
        <source>the number of repetitions in {}() is computed or too large</source>
        <translation>{}() 的重复次数由计算得出，或太大</translation>
    </message>
    <message>
        <source>Give a plain number up to {}.</source>
        <translation>请直接给出不超过 {} 的数字。</translation>
    </message>
    <message>
        <source>the step of {}() is computed or too small</source>
        <translation>{}() 的步长由计算得出，或太小</translation>
    </message>
    <message>
        <source>there is no field &apos;{}&apos;</source>
        <translation>没有字段“{}”</translation>
    </message>
    <message>
        <source>the variable &apos;@{}&apos; may not be used</source>
        <translation>不允许使用变量“@{}”</translation>
    </message>
    <message>
        <source>Variables: {}.</source>
        <translation>变量：{}。</translation>
    </message>
    <message>
        <source>a part of it is not known</source>
        <translation>其中有无法识别的部分</translation>
    </message>
    <message>
        <source>Write it simpler.</source>
        <translation>请写得简单些。</translation>
    </message>
    <message>
        <source>Counting the features</source>
        <translation>正在统计要素数</translation>
    </message>
    <message>
        <source>&apos;each&apos; takes one list of layers, in one parameter.</source>
        <translation>“each”只接受一个图层列表，且只能用于一个参数。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; declares no usable nodata value: {} takes heights of 0 for missing; raster_terrain does not.</source>
        <translation>“{}”没有声明可用的无数据值：{} 会把缺失处的高程当作 0；raster_terrain 不会。</translation>
    </message>
    <message>
        <source>planar, in the units of the layers&apos; CRS</source>
        <translation>平面，按图层坐标参照系的单位</translation>
    </message>
    <message>
        <source>The input layers have different CRSs.</source>
        <translation>输入图层的坐标参照系不同。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has edits that are not saved: this algorithm does NOT see them.</source>
        <translation>“{}”有未保存的编辑：此算法看不到这些编辑。</translation>
    </message>
    <message>
        <source>distances as given are in the layers&apos; units; $area and $length on ellipsoid {}</source>
        <translation>给出的距离采用图层的单位；$area 和 $length 按椭球 {} 计算</translation>
    </message>
    <message>
        <source>{{&quot;each&quot;: [aliases]}} with 1 to {} aliases.</source>
        <translation>{{&quot;each&quot;: [aliases]}}，含 1 到 {} 个别名。</translation>
    </message>
    <message>
        <source>Looking at the layers</source>
        <translation>正在查看图层</translation>
    </message>
    <message>
        <source>Features with invalid geometry were left out, as asked: {}.</source>
        <translation>按要求忽略了几何无效的要素：{}。</translation>
    </message>
    <message>
        <source>GEOMETRY must name the file&apos;s geometry column: geom in most GeoPackages.</source>
        <translation>GEOMETRY 必须指明文件的几何列：多数 GeoPackage 中为 geom。</translation>
    </message>
    <message>
        <source>Repair the input (fix_geometries) or leave these features out (where); as_is takes it all the same.</source>
        <translation>请修复输入（fix_geometries）或排除这些要素（where）；as_is 则照样使用。</translation>
    </message>
    <message>
        <source>{} ended, but its result is not whole: {}</source>
        <translation>{} 已结束，但其结果不完整：{}</translation>
    </message>
    <message>
        <source>predicate within_distance and distance_m belong together.</source>
        <translation>谓词 within_distance 与 distance_m 必须一起使用。</translation>
    </message>
    <message>
        <source>{} of {} features have no partner; their new fields are empty.</source>
        <translation>{1} 个要素中有 {0} 个没有匹配对象；其新字段为空。</translation>
    </message>
    <message>
        <source>{} of {} features have no partner and were left out.</source>
        <translation>{1} 个要素中有 {0} 个没有匹配对象，已被忽略。</translation>
    </message>
    <message>
        <source>its numbers do not add up</source>
        <translation>其中的数字对不上</translation>
    </message>
    <message>
        <source>Give both, or neither.</source>
        <translation>请两者都给出，或都不给出。</translation>
    </message>
    <message>
        <source>No feature has a partner at its place.</source>
        <translation>没有要素在所在位置找到匹配对象。</translation>
    </message>
    <message>
        <source>The layers lie in the same region: check the predicate, and the CRS of both.</source>
        <translation>两个图层位于同一地区：请检查谓词以及两者的坐标参照系。</translation>
    </message>
    <message>
        <source>{} features have several partners and are in the result more than once: {} rows became {}, so sums over it count them more than once.</source>
        <translation>{} 个要素有多个匹配对象，在结果中出现不止一次：{} 行变成了 {} 行，因此求和时会重复计入它们。</translation>
    </message>
    <message>
        <source>{} features have several partners; the one with the lowest id was taken (one_to_many or summary shows all).</source>
        <translation>{} 个要素有多个匹配对象；已取 id 最小的一个（one_to_many 或 summary 会显示全部）。</translation>
    </message>
    <message>
        <source>One key is a number and the other a text; they were compared by value.</source>
        <translation>一个键是数字，另一个是文本；已按值比较。</translation>
    </message>
    <message>
        <source>{} more rows would match without spaces at the ends (match trim).</source>
        <translation>若忽略首尾空格，可多匹配 {} 行（match 用 trim）。</translation>
    </message>
    <message>
        <source>{} more rows would match without spaces and case (match trim_ignore_case).</source>
        <translation>若忽略空格和大小写，可多匹配 {} 行（match 用 trim_ignore_case）。</translation>
    </message>
    <message>
        <source>{} more rows would match without leading zeros (match number).</source>
        <translation>若忽略前导零，可多匹配 {} 行（match 用 number）。</translation>
    </message>
    <message>
        <source>{} keys of the joined layer are there several times (&apos;{}&apos;: {} times).</source>
        <translation>被连接图层中有 {} 个键多次出现（“{}”：{} 次）。</translation>
    </message>
    <message>
        <source>Use match exact.</source>
        <translation>请使用 match exact。</translation>
    </message>
    <message>
        <source>{} rows are in the result more than once; sums count them so.</source>
        <translation>{} 行在结果中出现不止一次；求和时会重复计入。</translation>
    </message>
    <message>
        <source>As numbers {} more rows would match, but &apos;{}&apos; and &apos;{}&apos; would be the same key, so texts count as they are written.</source>
        <translation>若按数字比较，可多匹配 {} 行，但“{}”和“{}”会成为同一个键，因此文本按原样比较。</translation>
    </message>
    <message>
        <source>Leading zeros were ignored: &apos;{}&apos; is {}.</source>
        <translation>已忽略前导零：“{}”即 {}。</translation>
    </message>
    <message>
        <source>With match &apos;{}&apos; the different keys &apos;{}&apos; and &apos;{}&apos; would be one.</source>
        <translation>match 用“{}”时，不同的键“{}”和“{}”会变成同一个。</translation>
    </message>
    <message>
        <source>{} rows have no key (NULL or empty); they match nothing.</source>
        <translation>{} 行没有键（NULL 或空）；它们不匹配任何行。</translation>
    </message>
    <message>
        <source>{} rows of the joined layer have no key and are not used.</source>
        <translation>被连接图层中有 {} 行没有键，未被使用。</translation>
    </message>
    <message>
        <source>{} rows have a key that the joined layer lacks, such as {}.</source>
        <translation>{} 行的键在被连接图层中不存在，例如 {}。</translation>
    </message>
    <message>
        <source>{} keys of the joined layer are not used, such as {}.</source>
        <translation>被连接图层中有 {} 个键未被使用，例如 {}。</translation>
    </message>
    <message>
        <source>Of these the first row was taken for {} rows.</source>
        <translation>其中有 {} 行取用了第一条匹配行。</translation>
    </message>
    <message>
        <source>These are too many lines or polygons over too large an area to compare.</source>
        <translation>线或面太多，且范围太大，无法比较。</translation>
    </message>
    <message>
        <source>Use a condition (where) for a smaller region, or points instead of areas.</source>
        <translation>请用条件（where）缩小到较小的地区，或以点代替面。</translation>
    </message>
    <message>
        <source>{} ended, but its result ({}) cannot be read.</source>
        <translation>{} 已结束，但无法读取其结果（{}）。</translation>
    </message>
    <message>
        <source>areas agree with the dissolved areas of both layers</source>
        <translation>面积与两个图层融合后的面积一致</translation>
    </message>
    <message>
        <source>counts</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>the pieces are not larger than the layer</source>
        <translation>结果不大于图层</translation>
    </message>
    <message>
        <source>Leave overlay_fields and prefix out, or use intersection.</source>
        <translation>请去掉 overlay_fields 和 prefix，或使用 intersection。</translation>
    </message>
    <message>
        <source>{} gives no fields of the overlay layer.</source>
        <translation>{} 不会给出叠加图层的字段。</translation>
    </message>
    <message>
        <source>the pieces of {} have the area {:.8g} instead of {:.8g} (CRS units).</source>
        <translation>{} 结果的面积为 {:.8g}，应为 {:.8g}（CRS 单位）。</translation>
    </message>
    <message>
        <source>the pieces of {} are larger ({:.8g}) than the layer ({:.8g}, CRS units).</source>
        <translation>{} 的结果（{:.8g}）大于图层（{:.8g}，CRS 单位）。</translation>
    </message>
    <message>
        <source>No transformation between their datums is installed: they were taken for equal, which can be wrong by 100 m or more.</source>
        <translation>未安装它们的基准面之间的转换：已视为相同，误差可能达 100 m 或更大。</translation>
    </message>
    <message>
        <source>Check the CRS of both layers (describe_layer); set_layer_crs where one is wrong.</source>
        <translation>请检查两个图层的坐标参照系（describe_layer）；若有错误，请用 set_layer_crs 设置。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; ({}) was reprojected on a copy to {}, the CRS of &apos;{}&apos;.</source>
        <translation>已将“{}”（{}）的副本重投影到 {}，即“{}”的坐标参照系。</translation>
    </message>
    <message>
        <source>With the grid {} it would be {:g} m.</source>
        <translation>使用格网 {} 时为 {:g} m。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; and &apos;{}&apos; lie about {} km apart: they have no place in common.</source>
        <translation>“{}”和“{}”相距约 {} km：没有共同的位置。</translation>
    </message>
    <message>
        <source>Check the CRS of both.</source>
        <translation>请检查两者的坐标参照系。</translation>
    </message>
    <message>
        <source>There is no transformation from {} to {}.</source>
        <translation>没有从 {} 到 {} 的转换。</translation>
    </message>
    <message>
        <source>The transformation between their datums is good to {:g} m.</source>
        <translation>它们的基准面之间的转换精度为 {:g} m。</translation>
    </message>
    <message>
        <source>With x and y of one of them swapped they would meet.</source>
        <translation>若将其中一个的 x 和 y 对调，两者就会重合。</translation>
    </message>
    <message>
        <source>Ask the person which CRS the data is in; then set_layer_crs.</source>
        <translation>请询问用户数据采用哪个坐标参照系，然后使用 set_layer_crs。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no CRS, so it cannot be laid over another one.</source>
        <translation>图层“{}”没有坐标参照系，因此无法与其他图层叠加。</translation>
    </message>
    <message>
        <source>Parameter {}: {}</source>
        <translation>参数 {}：{}</translation>
    </message>
    <message>
        <source>must be a number.</source>
        <translation>必须是数字。</translation>
    </message>
    <message>
        <source>Give a number.</source>
        <translation>请给出数字。</translation>
    </message>
    <message>
        <source>Give a number, or {&quot;field&quot;: name} where the parameter may differ by feature.</source>
        <translation>请给出数字；若参数可随要素变化，也可给出 {&quot;field&quot;: name}。</translation>
    </message>
    <message>
        <source>must be true or false.</source>
        <translation>必须是 true 或 false。</translation>
    </message>
    <message>
        <source>Give true or false.</source>
        <translation>请给出 true 或 false。</translation>
    </message>
    <message>
        <source>takes one choice.</source>
        <translation>只接受一个选项。</translation>
    </message>
    <message>
        <source>Choices: {}.</source>
        <translation>选项：{}。</translation>
    </message>
    <message>
        <source>must be a field.</source>
        <translation>必须是字段。</translation>
    </message>
    <message>
        <source>Give its name.</source>
        <translation>请给出其名称。</translation>
    </message>
    <message>
        <source>must be a text.</source>
        <translation>必须是文本。</translation>
    </message>
    <message>
        <source>Give a text.</source>
        <translation>请给出文本。</translation>
    </message>
    <message>
        <source>must be a colour.</source>
        <translation>必须是颜色。</translation>
    </message>
    <message>
        <source>For example #ff0000.</source>
        <translation>例如 #ff0000。</translation>
    </message>
    <message>
        <source>must be a date or time.</source>
        <translation>必须是日期或时间。</translation>
    </message>
    <message>
        <source>For example 2024-05-31T12:00:00.</source>
        <translation>例如 2024-05-31T12:00:00。</translation>
    </message>
    <message>
        <source>must be a path.</source>
        <translation>必须是路径。</translation>
    </message>
    <message>
        <source>Give a path.</source>
        <translation>请给出路径。</translation>
    </message>
    <message>
        <source>Give a text, a number, or a list of them.</source>
        <translation>请给出文本、数字，或由它们组成的列表。</translation>
    </message>
    <message>
        <source>there is no field &apos;{}&apos;.</source>
        <translation>没有字段“{}”。</translation>
    </message>
    <message>
        <source>{:.15g} is out of its range.</source>
        <translation>{:.15g} 超出其范围。</translation>
    </message>
    <message>
        <source>Give a number {}.</source>
        <translation>请给出数字 {}。</translation>
    </message>
    <message>
        <source>{} is no choice.</source>
        <translation>{} 不是可用的选项。</translation>
    </message>
    <message>
        <source>There is no field &apos;{}&apos;.</source>
        <translation>没有字段“{}”。</translation>
    </message>
    <message>
        <source>there is no band {}.</source>
        <translation>没有波段 {}。</translation>
    </message>
    <message>
        <source>a parameter of the kind {} takes plain values.</source>
        <translation>{} 类型的参数只接受简单值。</translation>
    </message>
    <message>
        <source>{:.15g} is no whole number.</source>
        <translation>{:.15g} 不是整数。</translation>
    </message>
    <message>
        <source>Give {:.15g}.</source>
        <translation>请给出 {:.15g}。</translation>
    </message>
    <message>
        <source>there is no &apos;{}&apos;.</source>
        <translation>没有“{}”。</translation>
    </message>
    <message>
        <source>There is no layer of that kind in the project.</source>
        <translation>工程中没有该类型的图层。</translation>
    </message>
    <message>
        <source>it takes a whole layer, not a choice of features.</source>
        <translation>它需要整个图层，而不是部分要素。</translation>
    </message>
    <message>
        <source>Give the alias alone, or make a layer of these features first (native:extractbyexpression).</source>
        <translation>请只给出别名，或先用这些要素生成图层（native:extractbyexpression）。</translation>
    </message>
    <message>
        <source>Give a list of aliases.</source>
        <translation>请给出别名列表。</translation>
    </message>
    <message>
        <source>a list takes whole layers, not choices of features.</source>
        <translation>列表中须为整个图层，而不是部分要素。</translation>
    </message>
    <message>
        <source>Make a layer of these features first (native:extractbyexpression).</source>
        <translation>请先用这些要素生成图层（native:extractbyexpression）。</translation>
    </message>
    <message>
        <source>Give a layer&apos;s alias, or {&quot;layer_id&quot;: alias, &quot;selected_only&quot;: true, &quot;where&quot;: […]}.</source>
        <translation>请给出图层的别名，或 {&quot;layer_id&quot;: alias, &quot;selected_only&quot;: true, &quot;where&quot;: […]}。</translation>
    </message>
    <message>
        <source>selected_only is true or false, and where a list of conditions.</source>
        <translation>selected_only 须为 true 或 false，where 须为条件列表。</translation>
    </message>
    <message>
        <source>For example {&quot;layer_id&quot;: alias, &quot;where&quot;: [{&quot;field&quot;: …, &quot;op&quot;: &quot;eq&quot;, &quot;value&quot;: …}]}.</source>
        <translation>例如 {&quot;layer_id&quot;: alias, &quot;where&quot;: [{&quot;field&quot;: …, &quot;op&quot;: &quot;eq&quot;, &quot;value&quot;: …}]}。</translation>
    </message>
    <message>
        <source>Give the alias alone.</source>
        <translation>请只给出别名。</translation>
    </message>
    <message>
        <source>selected_only and where together are not possible.</source>
        <translation>selected_only 和 where 不能同时使用。</translation>
    </message>
    <message>
        <source>Select the features with select_features first, or give where alone.</source>
        <translation>请先用 select_features 选中要素，或只给出 where。</translation>
    </message>
    <message>
        <source>Ask the person: all features, or which ones (select_features)?</source>
        <translation>请询问用户：使用全部要素，还是其中哪些（select_features）？</translation>
    </message>
    <message>
        <source>Only the selected features of &apos;{}&apos; are asked for, but none is selected.</source>
        <translation>要求只使用“{}”的选中要素，但没有选中任何要素。</translation>
    </message>
    <message>
        <source>Layers of that kind: {}.</source>
        <translation>该类型的图层：{}。</translation>
    </message>
    <message>
        <source>it needs at least {} layers.</source>
        <translation>至少需要 {} 个图层。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is a {} layer; it takes: {}.</source>
        <translation>“{}”是{}图层；可接受：{}。</translation>
    </message>
    <message>
        <source>All features of &apos;{}&apos; are used, not only the selected ones.</source>
        <translation>使用了“{}”的全部要素，而不只是选中的要素。</translation>
    </message>
    <message>
        <source>{} is no layer.</source>
        <translation>{} 不是图层。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has no features to choose.</source>
        <translation>“{}”没有可供选择的要素。</translation>
    </message>
    <message>
        <source>Select features first</source>
        <translation>先选中要素</translation>
    </message>
    <message>
        <source>unknown key &apos;{}&apos;.</source>
        <translation>未知的键“{}”。</translation>
    </message>
    <message>
        <source>All features of {}</source>
        <translation>{} 的全部要素</translation>
    </message>
    <message>
        <source>is no extent.</source>
        <translation>不是范围。</translation>
    </message>
    <message>
        <source>[west, south, east, north] in degrees, {&quot;bbox&quot;: [xmin, ymin, xmax, ymax], &quot;crs&quot;: &quot;EPSG:3857&quot;}, or a layer&apos;s alias.</source>
        <translation>以度为单位的 [west, south, east, north]、{&quot;bbox&quot;: [xmin, ymin, xmax, ymax], &quot;crs&quot;: &quot;EPSG:3857&quot;}，或图层的别名。</translation>
    </message>
    <message>
        <source>Give an id such as EPSG:4326 or EPSG:32650.</source>
        <translation>请给出 EPSG:4326 或 EPSG:32650 之类的 id。</translation>
    </message>
    <message>
        <source>is no point.</source>
        <translation>不是点。</translation>
    </message>
    <message>
        <source>[lon, lat] in degrees, or {&quot;point&quot;: [x, y], &quot;crs&quot;: &quot;EPSG:3857&quot;}.</source>
        <translation>以度为单位的 [lon, lat]，或 {&quot;point&quot;: [x, y], &quot;crs&quot;: &quot;EPSG:3857&quot;}。</translation>
    </message>
    <message>
        <source>is no valid geometry.</source>
        <translation>不是有效的几何图形。</translation>
    </message>
    <message>
        <source>Give WKT, for example POINT(116.4 39.9).</source>
        <translation>请给出 WKT，例如 POINT(116.4 39.9)。</translation>
    </message>
    <message>
        <source>{} is no CRS.</source>
        <translation>{} 不是坐标参照系。</translation>
    </message>
    <message>
        <source>Leave it out, or run the algorithm by hand in the Processing toolbox.</source>
        <translation>请去掉它，或在处理工具箱中手动运行该算法。</translation>
    </message>
    <message>
        <source>must be a list of objects.</source>
        <translation>必须是对象列表。</translation>
    </message>
    <message>
        <source>must be rows of five numbers.</source>
        <translation>必须是若干行，每行五个数字。</translation>
    </message>
    <message>
        <source>Each row: lowest and highest elevation, red, green, blue (0 to 255).</source>
        <translation>每行：最低和最高高程，红、绿、蓝（0 到 255）。</translation>
    </message>
    <message>
        <source>each row needs layer_id, a field or use_z, and a kind.</source>
        <translation>每行需要 layer_id、字段或 use_z，以及类型。</translation>
    </message>
    <message>
        <source>each layer needs a field, or use_z.</source>
        <translation>每个图层需要字段或 use_z。</translation>
    </message>
    <message>
        <source>{} cannot be given here.</source>
        <translation>此处不能给出 {}。</translation>
    </message>
    <message>
        <source>must be rows of {} values.</source>
        <translation>必须是若干行，每行 {} 个值。</translation>
    </message>
    <message>
        <source>The columns are: {}.</source>
        <translation>各列为：{}。</translation>
    </message>
    <message>
        <source>each row needs a name, a type and {}.</source>
        <translation>每行需要名称、类型和 {}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; must be a plain value.</source>
        <translation>“{}”必须是简单值。</translation>
    </message>
    <message>
        <source>where a result goes is not chosen here.</source>
        <translation>结果的位置不在此处选择。</translation>
    </message>
    <message>
        <source>Leave it out: the result becomes a layer of the project. true makes an extra output, false leaves one out; files are written by prepare_export_layer.</source>
        <translation>请去掉它：结果会成为工程的图层。true 生成额外的输出，false 不生成；文件由 prepare_export_layer 写入。</translation>
    </message>
    <message>
        <source>{} needs it ({}).</source>
        <translation>{} 需要它（{}）。</translation>
    </message>
    <message>
        <source>Give {}: {}.</source>
        <translation>请给出 {}：{}。</translation>
    </message>
    <message>
        <source>Leave it out, and look at describe_algorithm for what there is now.</source>
        <translation>请去掉它，并用 describe_algorithm 查看现有的参数。</translation>
    </message>
    <message>
        <source>{} has no effect in this QGIS.</source>
        <translation>{} 在此 QGIS 中不起作用。</translation>
    </message>
    <message>
        <source>{} has no such parameter any more.</source>
        <translation>{} 已不再有这个参数。</translation>
    </message>
    <message>
        <source>{} has no such parameter.</source>
        <translation>{} 没有这个参数。</translation>
    </message>
    <message>
        <source>Check the connection of the layer in QGIS.</source>
        <translation>请在 QGIS 中检查图层的连接。</translation>
    </message>
    <message>
        <source>The database gave no answer: {}</source>
        <translation>数据库没有应答：{}</translation>
    </message>
    <message>
        <source>same geometry as another feature</source>
        <translation>与另一要素几何相同</translation>
    </message>
    <message>
        <source>line crosses itself</source>
        <translation>线自相交</translation>
    </message>
    <message>
        <source>{} rings against RFC 7946</source>
        <translation>{} 个环不符合 RFC 7946</translation>
    </message>
    <message>
        <source>{} parts</source>
        <translation>{} 个部件</translation>
    </message>
    <message>
        <source>mean width {:.3g} m</source>
        <translation>平均宽度 {:.3g} m</translation>
    </message>
    <message>
        <source>no geometry</source>
        <translation>没有几何图形</translation>
    </message>
    <message>
        <source>invalid</source>
        <translation>无效</translation>
    </message>
    <message>
        <source>polygons overlap</source>
        <translation>面有重叠</translation>
    </message>
    <message>
        <source>gap between {} polygons</source>
        <translation>{} 个面之间有空隙</translation>
    </message>
    <message>
        <source>There is no algorithm &apos;{}&apos;.</source>
        <translation>没有算法“{}”。</translation>
    </message>
    <message>
        <source>search_algorithms finds one by what it does.</source>
        <translation>search_algorithms 可按功能查找算法。</translation>
    </message>
    <message>
        <source>Several algorithms are called &apos;{}&apos;.</source>
        <translation>有多个算法名为“{}”。</translation>
    </message>
    <message>
        <source>Give the whole id: {}.</source>
        <translation>请给出完整的 id：{}。</translation>
    </message>
    <message>
        <source>Choose another field, or check the condition with count_features.</source>
        <translation>请选择其他字段，或用 count_features 检查条件。</translation>
    </message>
    <message>
        <source>{} features have no value in &apos;{}&apos; and are left out.</source>
        <translation>{} 个要素在“{}”中没有值，已忽略。</translation>
    </message>
    <message>
        <source>The layer is too large for measuring in one plane (more than 1,200 km across).</source>
        <translation>图层太大，无法在同一平面中量测（跨度超过 1,200 km）。</translation>
    </message>
    <message>
        <source>The grid of the raster is turned against its CRS.</source>
        <translation>栅格的格网相对其坐标参照系是旋转的。</translation>
    </message>
    <message>
        <source>The band was looked at by a sample of its cells.</source>
        <translation>波段信息由部分像元抽样得出。</translation>
    </message>
    <message>
        <source>The nodata settings of the layer are not seen by the algorithm, only the file&apos;s.</source>
        <translation>算法看不到图层的无数据值设置，只看得到文件的设置。</translation>
    </message>
    <message>
        <source>Work on a part of it (clip_raster with a bbox, or where), or reproject it for the region and use run_algorithm there.</source>
        <translation>请处理其中一部分（用 clip_raster 加 bbox，或 where），或先重投影到适合该地区的坐标参照系，再用 run_algorithm 处理。</translation>
    </message>
    <message>
        <source>Set it with set_layer_crs, if it is known.</source>
        <translation>若已知，请用 set_layer_crs 设置。</translation>
    </message>
    <message>
        <source>Run gdal:warpreproject with run_algorithm first, and use its result.</source>
        <translation>请先用 run_algorithm 运行 gdal:warpreproject，再使用其结果。</translation>
    </message>
    <message>
        <source>Use another band or another raster.</source>
        <translation>请使用其他波段或其他栅格。</translation>
    </message>
    <message>
        <source>Polygons go on past the raster&apos;s edge at {:g}°: its cells on the other side are left out; split them there first.</source>
        <translation>面在 {:g}° 处超出栅格边缘：位于另一侧的像元未计入；请先在该处分割面。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has no CRS, so its place and metres are unknown.</source>
        <translation>图层“{}”没有坐标参照系，因此其位置和米制尺寸未知。</translation>
    </message>
    <message>
        <source>The file&apos;s scale {:.10g} and offset {:.10g} are not applied by the algorithm.</source>
        <translation>算法不会应用文件的缩放系数 {:.10g} 和偏移量 {:.10g}。</translation>
    </message>
    <message>
        <source>The result would have {:.3g} cells; at most {:.0e} are made.</source>
        <translation>结果将有 {:.3g} 个像元；最多生成 {:.0e} 个。</translation>
    </message>
    <message>
        <source>Make {} at least {:.3g} times as large, or work on a smaller area.</source>
        <translation>请将 {} 增大到至少 {:.3g} 倍，或处理较小的区域。</translation>
    </message>
    <message>
        <source>min must be below max; leave one out for an open end.</source>
        <translation>min 必须小于 max；若一端不设限，请省略该端。</translation>
    </message>
    <message>
        <source>Every value must be in one range; ranges may touch with boundaries min_included.</source>
        <translation>每个值只能属于一个区间；boundaries 为 min_included 时，区间可以相接。</translation>
    </message>
    <message>
        <source>Range {} of the table is empty.</source>
        <translation>表中的第 {} 个区间为空。</translation>
    </message>
    <message>
        <source>Two ranges overlap: {} and {}.</source>
        <translation>两个区间重叠：{} 和 {}。</translation>
    </message>
    <message>
        <source>it uses no input</source>
        <translation>没有使用任何输入</translation>
    </message>
    <message>
        <source>The formula is not accepted: {}.</source>
        <translation>公式不被接受：{}。</translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <translation>嵌套太深</translation>
    </message>
    <message>
        <source>two comparisons in a row are joined with and</source>
        <translation>连续的两个比较须用 and 连接</translation>
    </message>
    <message>
        <source>it ends too early</source>
        <translation>结尾过早</translation>
    </message>
    <message>
        <source>it has more than {} characters</source>
        <translation>多于 {} 个字符</translation>
    </message>
    <message>
        <source>Letters A, B, … for the inputs in order; numbers; + - * / % ^, &lt; &lt;= &gt; &gt;= = !=, and, or, not; {}.</source>
        <translation>可用：依次表示各输入的字母 A、B、…；数字；+ - * / % ^、&lt; &lt;= &gt; &gt;= = !=、and、or、not；{}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is unknown</source>
        <translation>“{}”无法识别</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is out of place</source>
        <translation>“{}”的位置不对</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is missing before &apos;{}&apos;</source>
        <translation>“{1}”之前缺少“{0}”</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no input; there are {}</source>
        <translation>“{}”不是输入；可用的有 {}</translation>
    </message>
    <message>
        <source>the function &apos;{}&apos; is not allowed</source>
        <translation>不允许使用函数“{}”</translation>
    </message>
    <message>
        <source>{} takes {} values</source>
        <translation>{} 需要 {} 个值</translation>
    </message>
    <message>
        <source>Check with get_raster_info where the inputs lie and what values they have.</source>
        <translation>请用 get_raster_info 检查各输入的位置和取值。</translation>
    </message>
    <message>
        <source>No field would be left.</source>
        <translation>这样就没有字段了。</translation>
    </message>
    <message>
        <source>Give changes ({field, name, type, drop}) or keep (names in order).</source>
        <translation>请给出 changes（{field, name, type, drop}）或 keep（按顺序列出的名称）。</translation>
    </message>
    <message>
        <source>more rows were written than read</source>
        <translation>写入的行多于读取的行</translation>
    </message>
    <message>
        <source>{} of {} values of &apos;{}&apos; could not be read and are NULL, such as {}.</source>
        <translation>“{2}”的 {1} 个值中有 {0} 个无法读取，成为 NULL，例如 {3}。</translation>
    </message>
    <message>
        <source>Use calculate_field with a formula for it.</source>
        <translation>请用 calculate_field 以公式完成。</translation>
    </message>
    <message>
        <source>Two fields would be called &apos;{}&apos;.</source>
        <translation>会有两个字段同名为“{}”。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; ({}) cannot become {}.</source>
        <translation>字段“{}”（{}）不能改为 {}。</translation>
    </message>
    <message>
        <source>Use calculate_field with a formula, e.g. to_date(&quot;d&quot;, &apos;dd.MM.yyyy&apos;) or to_real(replace(&quot;n&quot;, &apos;,&apos;, &apos;.&apos;)).</source>
        <translation>请用 calculate_field 以公式完成，例如 to_date(&quot;d&quot;, &apos;dd.MM.yyyy&apos;) 或 to_real(replace(&quot;n&quot;, &apos;,&apos;, &apos;.&apos;))。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; is named twice.</source>
        <translation>字段“{}”出现了两次。</translation>
    </message>
    <message>
        <source>only {} rows were written</source>
        <translation>只写入了 {} 行</translation>
    </message>
    <message>
        <source>{} values of &apos;{}&apos; lost leading zeros: codes stay text.</source>
        <translation>“{1}”的 {0} 个值丢失了前导零：代码应保留为文本。</translation>
    </message>
    <message>
        <source>{} values of &apos;{}&apos; were rounded.</source>
        <translation>“{1}”的 {0} 个值已四舍五入。</translation>
    </message>
    <message>
        <source>None of the {} values of &apos;{}&apos; can be read as that type, such as {!r}.</source>
        <translation>“{1}”的 {0} 个值都不能按该类型读取，例如 {2!r}。</translation>
    </message>
    <message>
        <source>a value of &apos;{}&apos; has changed</source>
        <translation>“{}”有一个值发生了变化</translation>
    </message>
    <message>
        <source>Use a condition (where), or count with stat_by_polygon.</source>
        <translation>请使用条件（where），或用 stat_by_polygon 计数。</translation>
    </message>
    <message>
        <source>More than {} pairs of features belong together.</source>
        <translation>相互匹配的要素对多于 {} 对。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; have heights or measures (Z, M); the result has none.</source>
        <translation>“{1}”中有 {0} 个要素带有高程或测量值（Z、M）；结果中没有。</translation>
    </message>
    <message>
        <source>A map service of this project draws China in GCJ-02. If &apos;{}&apos; was drawn on it or comes from such a map, it lies about {} m off WGS 84; nothing was moved.</source>
        <translation>此工程的某个地图服务以 GCJ-02 绘制中国。若“{}”是在其上绘制的，或来自这样的地图，则与 WGS 84 相差约 {} m；没有移动任何内容。</translation>
    </message>
    <message>
        <source>{} invalid geometries of &apos;{}&apos; were repaired on a copy ({}).</source>
        <translation>“{1}”中有 {0} 个无效几何图形已在副本上修复（{2}）。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; have coordinates that are no numbers or no place on earth.</source>
        <translation>“{1}”中有 {0} 个要素的坐标不是数字，或不在地球上。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; jump across 180°: on the map they run the long way round the earth, and so does what is made of them here; only their lengths and areas take the short way. Split them at 180° first.</source>
        <translation>“{1}”中有 {0} 个要素跨越 180°：在地图上它们绕地球的远路走，此处由它们生成的结果也一样；只有长度和面积按近路计算。请先在 180° 处分割它们。</translation>
    </message>
    <message>
        <source>{} lines of &apos;{}&apos; have fewer than two different points, so no length.</source>
        <translation>“{1}”中有 {0} 条线的不同点少于两个，因此没有长度。</translation>
    </message>
    <message>
        <source>{} curved geometries of &apos;{}&apos; are worked with as straight segments.</source>
        <translation>“{1}”中有 {0} 个曲线几何图形按直线段处理。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; have an id that another one has too.</source>
        <translation>“{1}”中有 {0} 个要素的 id 与其他要素相同。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; repeat a value of the field fid: a GeoPackage of it needs another key.</source>
        <translation>“{1}”中有 {0} 个要素的字段 fid 取值重复：导出为 GeoPackage 时需要另一个键。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in degrees ({}): what is computed in its plane has no lengths or areas.</source>
        <translation>“{}”以度为单位（{}）：在其平面中计算的结果没有长度或面积意义。</translation>
    </message>
    <message>
        <source>The coordinates of &apos;{}&apos; are in {} ({:.7g} m).</source>
        <translation>“{}”的坐标单位为 {}（{:.7g} m）。</translation>
    </message>
    <message>
        <source>In {} lengths are {:.3g} times and areas {:.3g} times those on the ground here.</source>
        <translation>在 {} 中，此处的长度是地面实际的 {:.3g} 倍，面积是 {:.3g} 倍。</translation>
    </message>
    <message>
        <source>The fields &apos;{}&apos; and &apos;{}&apos; of &apos;{}&apos; differ in case only: a GeoPackage takes one.</source>
        <translation>“{2}”的字段“{0}”和“{1}”只有大小写不同：GeoPackage 只能保留一个。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; are selected; the selection was not used.</source>
        <translation>“{1}”中选中了 {0} 个要素；没有使用该选择。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; mixes kinds of geometry: {}.</source>
        <translation>“{}”混有多种几何类型：{}。</translation>
    </message>
    <message>
        <source>feature {}: {}</source>
        <translation>要素 {}：{}</translation>
    </message>
    <message>
        <source>valid features have changed</source>
        <translation>有效要素发生了变化</translation>
    </message>
    <message>
        <source>{} features became {}</source>
        <translation>{} 个要素变成了 {} 个</translation>
    </message>
    <message>
        <source>feature {} is still invalid</source>
        <translation>要素 {} 仍然无效</translation>
    </message>
    <message>
        <source>No exact transformation between the datums is known: off by up to some 100 m.</source>
        <translation>基准面之间没有已知的精确转换：偏差可达 100 m 左右。</translation>
    </message>
    <message>
        <source>A finer one needs grids that are not installed: {}.</source>
        <translation>更精确的转换需要尚未安装的格网：{}。</translation>
    </message>
    <message>
        <source>Features lie outside of the area that {} is meant for ({:g} {:g} to {:g} {:g}).</source>
        <translation>有要素位于 {} 的适用范围（{:g} {:g} 至 {:g} {:g}）之外。</translation>
    </message>
    <message>
        <source>The transformation is exact to {:g} m.</source>
        <translation>转换精度为 {:g} m。</translation>
    </message>
    <message>
        <source>Ask the person; native:swapxy (run_algorithm) makes a layer with x and y swapped.</source>
        <translation>请询问用户；native:swapxy（run_algorithm）可生成 x 和 y 对调的图层。</translation>
    </message>
    <message>
        <source>Ask the person; then set_layer_crs with {}.</source>
        <translation>请询问用户，然后用 set_layer_crs 设为 {}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; cannot be worked with as it is: {}</source>
        <translation>“{}”不能按现状处理：{}</translation>
    </message>
    <message>
        <source>it cannot be given here</source>
        <translation>此处不能给出</translation>
    </message>
    <message>
        <source>Give a text, or leave it out.</source>
        <translation>请给出文本，或去掉它。</translation>
    </message>
    <message>
        <source>a plain text is expected, no path, address, markup or [% %]</source>
        <translation>应为纯文本，不能含路径、地址、标记或 [% %]</translation>
    </message>
    <message>
        <source>Give a short name.</source>
        <translation>请给出简短的名称。</translation>
    </message>
    <message>
        <source>it is too long or has control characters</source>
        <translation>太长，或含有控制字符</translation>
    </message>
    <message>
        <source>Give a value of the field.</source>
        <translation>请给出字段的一个值。</translation>
    </message>
    <message>
        <source>QGIS would take the quote in it for the end of a text</source>
        <translation>QGIS 会把其中的引号当作文本的结尾</translation>
    </message>
    <message>
        <source>Use native:extractbyexpression, with the quote doubled: &quot;name&quot; LIKE &apos;%O&apos;&apos;Brien%&apos;.</source>
        <translation>请使用 native:extractbyexpression，并把引号写两次：&quot;name&quot; LIKE &apos;%O&apos;&apos;Brien%&apos;。</translation>
    </message>
    <message>
        <source>it becomes part of a command</source>
        <translation>它会成为命令的一部分</translation>
    </message>
    <message>
        <source>Letters, digits and _ only.</source>
        <translation>只能用字母、数字和 _。</translation>
    </message>
    <message>
        <source>Plain words and numbers only, for example 2 4 8.</source>
        <translation>只能用简单的词和数字，例如 2 4 8。</translation>
    </message>
    <message>
        <source>QGIS has no database connection of that name</source>
        <translation>QGIS 中没有该名称的数据库连接</translation>
    </message>
    <message>
        <source>a file of another kind is expected</source>
        <translation>应为其他类型的文件</translation>
    </message>
    <message>
        <source>Layers are given by their layer_id; add_vector_layer and add_raster_layer open files.</source>
        <translation>图层用 layer_id 给出；打开文件请用 add_vector_layer 和 add_raster_layer。</translation>
    </message>
    <message>
        <source>Parameter {} is refused: {}.</source>
        <translation>参数 {} 不被接受：{}。</translation>
    </message>
    <message>
        <source>A person sets connections up in QGIS&apos;s browser. There are: {}.</source>
        <translation>连接由用户在 QGIS 的浏览器中设置。现有：{}。</translation>
    </message>
    <message>
        <source>Kinds: {}.</source>
        <translation>类型：{}。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is a path, an address or a source</source>
        <translation>“{}”是路径、地址或数据源</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no known option</source>
        <translation>“{}”不是已知选项</translation>
    </message>
    <message>
        <source>KEY=VALUE joined by |, for example COMPRESS=DEFLATE|TILED=YES. Keys: {}.</source>
        <translation>用 | 连接的 KEY=VALUE，例如 COMPRESS=DEFLATE|TILED=YES。键：{}。</translation>
    </message>
    <message>
        <source>If not, say so with as_is.</source>
        <translation>若不是，请用 as_is 说明。</translation>
    </message>
    <message>
        <source>If metres are meant: first {}, then this algorithm on its result.</source>
        <translation>若指的是米：先执行 {}，再对其结果运行此算法。</translation>
    </message>
    <message>
        <source>{} divides heights by distances in degrees ({}), so the slopes are far too steep with {}={:g}.</source>
        <translation>{} 用高程除以以度为单位的距离（{}），因此当 {}={:g} 时坡度会严重偏陡。</translation>
    </message>
    <message>
        <source>If metres are meant: {}. If not, say so with as_is.</source>
        <translation>若指的是米：{}。若不是，请用 as_is 说明。</translation>
    </message>
    <message>
        <source>{} measures in degrees ({}): its numbers are no metres, areas or volumes.</source>
        <translation>{} 以度为单位量测（{}）：其数值不是米、面积或体积。</translation>
    </message>
    <message>
        <source>Bring &apos;{}&apos; to {} first (gdal:warpreproject), and use the result. If not, say so with as_is.</source>
        <translation>请先将“{}”重投影到 {}（gdal:warpreproject），再使用其结果。若不需要，请用 as_is 说明。</translation>
    </message>
    <message>
        <source>{}={:g} is in {} in {}: {:.6g} m on the ground.</source>
        <translation>{}={:g} 的单位为{}（{}）：相当于地面上的 {:.6g} m。</translation>
    </message>
    <message>
        <source>{}={:g} in {} is only {:.6g} m on the ground here: this CRS stretches by {:.3g}.</source>
        <translation>{}={:g} 在 {} 中只相当于此处地面上的 {:.6g} m：该坐标参照系拉伸到 {:.3g} 倍。</translation>
    </message>
    <message>
        <source>{}={:g} is in degrees in {}: {} km to the north, {} km to the east here.</source>
        <translation>{}={:g} 在 {} 中以度为单位：在此处，南北向为 {} km，东西向为 {} km。</translation>
    </message>
    <message>
        <source>{}={:g} is in degrees in {}: about {} km to the north.</source>
        <translation>{}={:g} 在 {} 中以度为单位：南北向约为 {} km。</translation>
    </message>
    <message>
        <source>If metres are meant, use a metric CRS such as {}. If not, say so with as_is.</source>
        <translation>若指的是米，请使用以米为单位的坐标参照系，例如 {}。若不是，请用 as_is 说明。</translation>
    </message>
    <message>
        <source>Or {}={:.8g} here for {:g} m.</source>
        <translation>或者在此处用 {}={:.8g} 表示 {:g} m。</translation>
    </message>
    <message>
        <source>Check the layer&apos;s geometries (fix_geometries) and its CRS.</source>
        <translation>请检查图层的几何图形（fix_geometries）及其坐标参照系。</translation>
    </message>
    <message>
        <source>None of the {} rows has a value in &apos;{}&apos;: there is nothing to compute.</source>
        <translation>{} 行在“{}”中都没有值：没有可计算的内容。</translation>
    </message>
    <message>
        <source>a feature has lost its geometry, or got one.</source>
        <translation>有要素丢失了几何图形，或多出了几何图形。</translation>
    </message>
    <message>
        <source>{} features became {}.</source>
        <translation>{} 个要素变成了 {} 个。</translation>
    </message>
    <message>
        <source>a place does not come back to where it was: ({:.9g}, {:.9g}).</source>
        <translation>有一处位置没有回到原处：（{:.9g}, {:.9g}）。</translation>
    </message>
    <message>
        <source>a cell counts whole when its centre is inside; where at most one does, all cells touched count by the share inside</source>
        <translation>中心在区域内的像元按整个计；若这样的像元至多一个，则所有触及的像元按区域内所占比例计</translation>
    </message>
    <message>
        <source>no free names for the fields</source>
        <translation>没有可用的字段名</translation>
    </message>
    <message>
        <source>a zone with cells has no value</source>
        <translation>含有像元的分区没有值</translation>
    </message>
    <message>
        <source>a zone&apos;s sum is not its mean times its count</source>
        <translation>分区的总和不等于其均值乘以计数</translation>
    </message>
    <message>
        <source>the fields {} are missing</source>
        <translation>缺少字段 {}</translation>
    </message>
    <message>
        <source>a zone&apos;s {} is {:.8g}, the band goes from {:.8g} to {:.8g}</source>
        <translation>分区的 {} 为 {:.8g}，而波段的范围为 {:.8g} 到 {:.8g}</translation>
    </message>
    <message>
        <source>Only a person in QGIS can agree to this, in the chat; use an algorithm that makes a new layer.</source>
        <translation>只有用户能在 QGIS 的对话中同意这一操作；请使用生成新图层的算法。</translation>
    </message>
    <message>
        <source>Why you are asked</source>
        <translation>询问原因</translation>
    </message>
    <message>
        <source>Wait until they have ended, then ask again; other questions can be asked now.</source>
        <translation>请等它们结束后再次询问；现在可以询问其他问题。</translation>
    </message>
    <message>
        <source>{} earlier analyses are still stopping; QGIS cannot interrupt them.</source>
        <translation>之前的 {} 个分析仍在停止中；QGIS 无法中断它们。</translation>
    </message>
    <message>
        <source>Run again with --allow-write for its folder, or leave save out.</source>
        <translation>请为其文件夹加上 --allow-write 重新运行，或去掉 save。</translation>
    </message>
    <message>
        <source>a virtual field</source>
        <translation>虚拟字段</translation>
    </message>
    <message>
        <source>a joined field</source>
        <translation>连接字段</translation>
    </message>
    <message>
        <source>Narrow it with where, or make a new layer with calculate_field.</source>
        <translation>请用 where 缩小范围，或用 calculate_field 生成新图层。</translation>
    </message>
    <message>
        <source>Export it to a GeoPackage (prepare_export_layer), add that, and edit the copy.</source>
        <translation>请将其导出为 GeoPackage（prepare_export_layer），添加后编辑该副本。</translation>
    </message>
    <message>
        <source>Ask the person to save or discard their edits, or leave save out.</source>
        <translation>请让用户保存或放弃其编辑，或去掉 save。</translation>
    </message>
    <message>
        <source>The data of &apos;{}&apos; is outside the folders that may be written.</source>
        <translation>“{}”的数据不在允许写入的文件夹中。</translation>
    </message>
    <message>
        <source>Edit the fields that it is made of, or make a new one with calculate_field.</source>
        <translation>请编辑构成它的字段，或用 calculate_field 生成新字段。</translation>
    </message>
    <message>
        <source>Leave it out; new features get a key by themselves.</source>
        <translation>请去掉它；新要素会自动获得键。</translation>
    </message>
    <message>
        <source>Ask the person to lift the filter first; choose features by where instead.</source>
        <translation>请先让用户取消过滤器；选择要素请改用 where。</translation>
    </message>
    <message>
        <source>This would change {} features or more; at most {} are changed at once.</source>
        <translation>这会更改 {} 个或更多要素；一次最多更改 {} 个。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; cannot be edited: it or its format is read-only.</source>
        <translation>图层“{}”无法编辑：它或其格式是只读的。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has unsaved edits of a person, which are not saved for them.</source>
        <translation>图层“{}”有用户未保存的编辑，不会代为保存。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is {}: it has no values of its own to change.</source>
        <translation>“{}”是{}：它没有可更改的自有值。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is the key of the layer, which names its features.</source>
        <translation>“{}”是图层的键，用于标识其要素。</translation>
    </message>
    <message>
        <source>The layer is filtered ({}): edited features could vanish from it.</source>
        <translation>图层已设过滤器（{}）：编辑后的要素可能会从中消失。</translation>
    </message>
    <message>
        <source>the field holds {} decimals (in a formula: round)</source>
        <translation>字段最多容纳 {} 位小数（公式中用 round）</translation>
    </message>
    <message>
        <source>true or false is needed</source>
        <translation>需要 true 或 false</translation>
    </message>
    <message>
        <source>a text is needed (in a formula: to_string)</source>
        <translation>需要文本（公式中用 to_string）</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>characters</source>
        <translation>字符</translation>
    </message>
    <message>
        <source>a whole number is needed</source>
        <translation>需要整数</translation>
    </message>
    <message>
        <source>it would be rounded (in a formula: round, floor)</source>
        <translation>会被四舍五入（公式中用 round、floor）</translation>
    </message>
    <message>
        <source>a finite number is needed</source>
        <translation>需要有限的数</translation>
    </message>
    <message>
        <source>fields of the type {} are not edited here</source>
        <translation>此处不编辑 {} 类型的字段</translation>
    </message>
    <message>
        <source>it has {} {}, the field holds {}</source>
        <translation>长度为 {} {}，字段最多容纳 {}</translation>
    </message>
    <message>
        <source>the layer&apos;s encoding {} lacks letters of it</source>
        <translation>图层的编码 {} 缺少其中的字符</translation>
    </message>
    <message>
        <source>the field holds {} to {}</source>
        <translation>字段的取值范围为 {} 到 {}</translation>
    </message>
    <message>
        <source>the field holds {} digits</source>
        <translation>字段最多容纳 {} 位数字</translation>
    </message>
    <message>
        <source>it is no date or time as in {}</source>
        <translation>不是 {} 这样的日期或时间</translation>
    </message>
    <message>
        <source>Changed and read back, not saved: the layer is in edit mode; Ctrl+Z takes it back.</source>
        <translation>已更改并读回核对，尚未保存：图层处于编辑模式；可用 Ctrl+Z 撤销。</translation>
    </message>
    <message>
        <source>the layer has {} features, not {}</source>
        <translation>图层有 {} 个要素，而不是 {} 个</translation>
    </message>
    <message>
        <source>Look at the layer (describe_layer) and try it with fewer features.</source>
        <translation>请查看图层（describe_layer），并用较少的要素再试。</translation>
    </message>
    <message>
        <source>Features that change</source>
        <translation>将更改的要素</translation>
    </message>
    <message>
        <source>Features that are deleted</source>
        <translation>将删除的要素</translation>
    </message>
    <message>
        <source>New features</source>
        <translation>新要素</translation>
    </message>
    <message>
        <source>Features that get a new shape</source>
        <translation>将改变形状的要素</translation>
    </message>
    <message>
        <source>Looking whether it is still as shown</source>
        <translation>正在核对是否仍与所示一致</translation>
    </message>
    <message>
        <source>QGIS cannot start editing the layer.</source>
        <translation>QGIS 无法开始编辑该图层。</translation>
    </message>
    <message>
        <source>Reading back</source>
        <translation>正在读回</translation>
    </message>
    <message>
        <source>Changed, saved and read back.</source>
        <translation>已更改、保存并读回核对。</translation>
    </message>
    <message>
        <source>The edit was not made: {}</source>
        <translation>没有完成编辑：{}</translation>
    </message>
    <message>
        <source>Have these values already</source>
        <translation>已是这些值</translation>
    </message>
    <message>
        <source>Prepare the edit again; the person then sees the present values.</source>
        <translation>请重新准备编辑；用户届时会看到当前的值。</translation>
    </message>
    <message>
        <source>the data refused a part of it; the rest is saved: {}</source>
        <translation>数据源拒绝了其中一部分；其余已保存：{}</translation>
    </message>
    <message>
        <source>(the first {} are shown)</source>
        <translation>（显示前 {} 个）</translation>
    </message>
    <message>
        <source>QGIS did not take a change.</source>
        <translation>QGIS 没有接受某项更改。</translation>
    </message>
    <message>
        <source>the data refused it and is as before: {}</source>
        <translation>数据源拒绝了更改，保持原样：{}</translation>
    </message>
    <message>
        <source>{} of {} features are there</source>
        <translation>{1} 个要素中只有 {0} 个存在</translation>
    </message>
    <message>
        <source>feature {} has another geometry</source>
        <translation>要素 {} 的几何图形不一致</translation>
    </message>
    <message>
        <source>feature {} has another value</source>
        <translation>要素 {} 的值不一致</translation>
    </message>
    <message>
        <source>the field must not be empty</source>
        <translation>该字段不能为空</translation>
    </message>
    <message>
        <source>Give a value that fits, or make a new field with calculate_field.</source>
        <translation>请给出合适的值，或用 calculate_field 生成新字段。</translation>
    </message>
    <message>
        <source>each value may stand there once only</source>
        <translation>每个值只能出现一次</translation>
    </message>
    <message>
        <source> (feature {})</source>
        <translation>（要素 {}）</translation>
    </message>
    <message>
        <source>The value {} does not fit the field &apos;{}&apos;{}: {}.</source>
        <translation>值 {} 不适合字段“{}”{}：{}。</translation>
    </message>
    <message>
        <source>Give value, formula or to_null: true, and each field once.</source>
        <translation>请给出 value、formula 或 to_null: true，且每个字段只给一次。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; needs one new value.</source>
        <translation>字段“{}”需要且只需要一个新值。</translation>
    </message>
    <message>
        <source>New {}</source>
        <translation>新要素 {}</translation>
    </message>
    <message>
        <source>the layer is a table without geometry</source>
        <translation>图层是没有几何图形的表</translation>
    </message>
    <message>
        <source>the layer has no CRS</source>
        <translation>图层没有坐标参照系</translation>
    </message>
    <message>
        <source>coordinates are longitude, latitude in degrees</source>
        <translation>坐标为经度、纬度，以度为单位</translation>
    </message>
    <message>
        <source>the layer holds single parts</source>
        <translation>图层只存放单部件</translation>
    </message>
    <message>
        <source>the layer holds {}</source>
        <translation>图层存放的是{}</translation>
    </message>
    <message>
        <source>The geometry cannot be used: {}.</source>
        <translation>无法使用该几何图形：{}。</translation>
    </message>
    <message>
        <source>it has no place in the layer&apos;s CRS {}</source>
        <translation>它在图层的坐标参照系 {} 中没有对应位置</translation>
    </message>
    <message>
        <source>Grouping {layer_id}</source>
        <translation>正在对 {layer_id} 分组汇总</translation>
    </message>
    <message>
        <source>Calculating {field} of {layer_id}</source>
        <translation>正在计算 {layer_id} 的 {field}</translation>
    </message>
    <message>
        <source>Checking {layer_id}</source>
        <translation>正在检查 {layer_id}</translation>
    </message>
    <message>
        <source>Clipping {layer_id}</source>
        <translation>正在裁剪 {layer_id}</translation>
    </message>
    <message>
        <source>Drawing contours of {layer_id}</source>
        <translation>正在生成 {layer_id} 的等值线</translation>
    </message>
    <message>
        <source>Converting {layer_id}</source>
        <translation>正在转换 {layer_id}</translation>
    </message>
    <message>
        <source>Deriving {kind} from {layer_id}</source>
        <translation>正在由 {layer_id} 生成 {kind}</translation>
    </message>
    <message>
        <source>Looking at {algorithm}</source>
        <translation>正在查看 {algorithm}</translation>
    </message>
    <message>
        <source>Dissolving {layer_id}</source>
        <translation>正在融合 {layer_id}</translation>
    </message>
    <message>
        <source>Repairing {layer_id}</source>
        <translation>正在修复 {layer_id}</translation>
    </message>
    <message>
        <source>Making a heatmap of {layer_id}</source>
        <translation>正在生成 {layer_id} 的热力图</translation>
    </message>
    <message>
        <source>Interpolating {field} of {layer_id}</source>
        <translation>正在插值 {layer_id} 的 {field}</translation>
    </message>
    <message>
        <source>Joining {join_layer_id} to {layer_id}</source>
        <translation>正在将 {join_layer_id} 连接到 {layer_id}</translation>
    </message>
    <message>
        <source>Merging layers</source>
        <translation>正在合并图层</translation>
    </message>
    <message>
        <source>Looking for what is nearest to {layer_id}</source>
        <translation>正在查找距 {layer_id} 最近的要素</translation>
    </message>
    <message>
        <source>Overlaying {layer_id} with {overlay_layer_id}</source>
        <translation>正在将 {layer_id} 与 {overlay_layer_id} 叠加</translation>
    </message>
    <message>
        <source>Calculating a raster</source>
        <translation>正在计算栅格</translation>
    </message>
    <message>
        <source>Calculating {method} of {layer_id}</source>
        <translation>正在计算 {layer_id} 的 {method}</translation>
    </message>
    <message>
        <source>Reclassifying {layer_id}</source>
        <translation>正在重分类 {layer_id}</translation>
    </message>
    <message>
        <source>Changing fields of {layer_id}</source>
        <translation>正在更改 {layer_id} 的字段</translation>
    </message>
    <message>
        <source>Reprojecting {layer_id}</source>
        <translation>正在重投影 {layer_id}</translation>
    </message>
    <message>
        <source>Running {algorithm}</source>
        <translation>正在运行 {algorithm}</translation>
    </message>
    <message>
        <source>Looking for an algorithm: {query}</source>
        <translation>正在查找算法：{query}</translation>
    </message>
    <message>
        <source>Joining {join_layer_id} to {layer_id} by place</source>
        <translation>正在按位置将 {join_layer_id} 连接到 {layer_id}</translation>
    </message>
    <message>
        <source>Statistics of {layer_id} by {polygon_layer_id}</source>
        <translation>正在按 {polygon_layer_id} 计算 {layer_id} 的统计值</translation>
    </message>
    <message>
        <source>Grouped {layer_id}</source>
        <translation>已对 {layer_id} 分组汇总</translation>
    </message>
    <message>
        <source>Calculated {field} of {layer_id}</source>
        <translation>已计算 {layer_id} 的 {field}</translation>
    </message>
    <message>
        <source>Checked {layer_id}</source>
        <translation>已检查 {layer_id}</translation>
    </message>
    <message>
        <source>Clipped {layer_id}</source>
        <translation>已裁剪 {layer_id}</translation>
    </message>
    <message>
        <source>Drew contours of {layer_id}</source>
        <translation>已生成 {layer_id} 的等值线</translation>
    </message>
    <message>
        <source>Converted {layer_id}</source>
        <translation>已转换 {layer_id}</translation>
    </message>
    <message>
        <source>Derived {kind} from {layer_id}</source>
        <translation>已由 {layer_id} 生成 {kind}</translation>
    </message>
    <message>
        <source>Looked at {algorithm}</source>
        <translation>已查看 {algorithm}</translation>
    </message>
    <message>
        <source>Dissolved {layer_id}</source>
        <translation>已融合 {layer_id}</translation>
    </message>
    <message>
        <source>Repaired {layer_id} on a copy</source>
        <translation>已在副本上修复 {layer_id}</translation>
    </message>
    <message>
        <source>Made a heatmap of {layer_id}</source>
        <translation>已生成 {layer_id} 的热力图</translation>
    </message>
    <message>
        <source>Interpolated {field} of {layer_id}</source>
        <translation>已插值 {layer_id} 的 {field}</translation>
    </message>
    <message>
        <source>Joined {join_layer_id} to {layer_id}</source>
        <translation>已将 {join_layer_id} 连接到 {layer_id}</translation>
    </message>
    <message>
        <source>Merged layers</source>
        <translation>已合并图层</translation>
    </message>
    <message>
        <source>Found what is nearest to {layer_id}</source>
        <translation>已找到距 {layer_id} 最近的要素</translation>
    </message>
    <message>
        <source>Overlaid {layer_id} with {overlay_layer_id}</source>
        <translation>已将 {layer_id} 与 {overlay_layer_id} 叠加</translation>
    </message>
    <message>
        <source>Calculated a raster</source>
        <translation>已计算栅格</translation>
    </message>
    <message>
        <source>Calculated {method} of {layer_id}</source>
        <translation>已计算 {layer_id} 的 {method}</translation>
    </message>
    <message>
        <source>Reclassified {layer_id}</source>
        <translation>已重分类 {layer_id}</translation>
    </message>
    <message>
        <source>Changed fields on a copy of {layer_id}</source>
        <translation>已在副本上更改 {layer_id} 的字段</translation>
    </message>
    <message>
        <source>Reprojected {layer_id}</source>
        <translation>已重投影 {layer_id}</translation>
    </message>
    <message>
        <source>Ran {algorithm}</source>
        <translation>已运行 {algorithm}</translation>
    </message>
    <message>
        <source>Looked for an algorithm: {query}</source>
        <translation>已查找算法：{query}</translation>
    </message>
    <message>
        <source>Joined {join_layer_id} to {layer_id} by place</source>
        <translation>已按位置将 {join_layer_id} 连接到 {layer_id}</translation>
    </message>
    <message>
        <source>Made statistics of {layer_id} by {polygon_layer_id}</source>
        <translation>已按 {polygon_layer_id} 计算 {layer_id} 的统计值</translation>
    </message>
    <message>
        <source>Add a table that groups “{layer_id}”?</source>
        <translation>要添加对“{layer_id}”分组汇总的表吗？</translation>
    </message>
    <message>
        <source>Add a copy of “{layer_id}” with the field “{field}”?</source>
        <translation>要添加带有字段“{field}”的“{layer_id}”副本吗？</translation>
    </message>
    <message>
        <source>Add a layer with the faults of “{layer_id}”?</source>
        <translation>要添加标出“{layer_id}”问题的图层吗？</translation>
    </message>
    <message>
        <source>Add a part of the raster “{layer_id}”?</source>
        <translation>要添加栅格“{layer_id}”的一部分吗？</translation>
    </message>
    <message>
        <source>Add contours of “{layer_id}”?</source>
        <translation>要添加“{layer_id}”的等值线吗？</translation>
    </message>
    <message>
        <source>Add “{layer_id}” converted?</source>
        <translation>要添加转换后的“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Add a layer with {kind} of “{layer_id}”?</source>
        <translation>要添加由“{layer_id}”生成的 {kind} 图层吗？</translation>
    </message>
    <message>
        <source>Add “{layer_id}” dissolved?</source>
        <translation>要添加融合后的“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Add a repaired copy of “{layer_id}”?</source>
        <translation>要添加修复后的“{layer_id}”副本吗？</translation>
    </message>
    <message>
        <source>Add a heatmap of “{layer_id}”?</source>
        <translation>要添加“{layer_id}”的热力图吗？</translation>
    </message>
    <message>
        <source>Add a raster interpolated from “{layer_id}”?</source>
        <translation>要添加由“{layer_id}”插值得到的栅格吗？</translation>
    </message>
    <message>
        <source>Add “{layer_id}” joined with “{join_layer_id}”?</source>
        <translation>要添加与“{join_layer_id}”连接后的“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Add a layer merged from others?</source>
        <translation>要添加由其他图层合并而成的图层吗？</translation>
    </message>
    <message>
        <source>Add what is nearest to “{layer_id}”?</source>
        <translation>要添加距“{layer_id}”最近的要素吗？</translation>
    </message>
    <message>
        <source>Add “{layer_id}” overlaid with “{overlay_layer_id}”?</source>
        <translation>要添加“{layer_id}”与“{overlay_layer_id}”叠加的结果吗？</translation>
    </message>
    <message>
        <source>Add a calculated raster?</source>
        <translation>要添加计算得到的栅格吗？</translation>
    </message>
    <message>
        <source>Add {method} of “{layer_id}”?</source>
        <translation>要添加“{layer_id}”的 {method} 吗？</translation>
    </message>
    <message>
        <source>Add “{layer_id}” reclassified?</source>
        <translation>要添加重分类后的“{layer_id}”吗？</translation>
    </message>
    <message>
        <source>Add a copy of “{layer_id}” with other fields?</source>
        <translation>要添加更改了字段的“{layer_id}”副本吗？</translation>
    </message>
    <message>
        <source>Add a copy of “{layer_id}” in {crs}?</source>
        <translation>要添加坐标参照系为 {crs} 的“{layer_id}”副本吗？</translation>
    </message>
    <message>
        <source>Run the algorithm “{algorithm}”?</source>
        <translation>要运行算法“{algorithm}”吗？</translation>
    </message>
    <message>
        <source>Add a layer with statistics of “{layer_id}” by “{polygon_layer_id}”?</source>
        <translation>要添加按“{polygon_layer_id}”统计“{layer_id}”的图层吗？</translation>
    </message>
    <message>
        <source>Join in</source>
        <translation>连接所在图层</translation>
    </message>
    <message>
        <source>Relation</source>
        <translation>关系</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Map in layout</source>
        <translation>布局中的地图</translation>
    </message>
    <message>
        <source>Atlas of layout</source>
        <translation>布局的图集</translation>
    </message>
    <message>
        <source>Value relation of</source>
        <translation>值关系所在图层</translation>
    </message>
    <message>
        <source>Virtual layer</source>
        <translation>虚拟图层</translation>
    </message>
    <message>
        <source>a join</source>
        <translation>一个连接</translation>
    </message>
    <message>
        <source>relation {}</source>
        <translation>关系 {}</translation>
    </message>
    <message>
        <source>theme {}</source>
        <translation>主题 {}</translation>
    </message>
    <message>
        <source>Make room on the disk for temporary files, or choose another folder for them.</source>
        <translation>请为临时文件腾出磁盘空间，或为其选择其他文件夹。</translation>
    </message>
    <message>
        <source>The folder for temporary files cannot be written to: {}</source>
        <translation>无法写入临时文件的文件夹：{}</translation>
    </message>
    <message>
        <source>End the other program&apos;s edit of the file, wait a minute, and try again.</source>
        <translation>请结束其他程序对该文件的编辑，稍等一分钟再试。</translation>
    </message>
    <message>
        <source>The file of the layer is not there any more: {}</source>
        <translation>图层的文件已不存在：{}</translation>
    </message>
    <message>
        <source>Another program has locked the file {}.</source>
        <translation>另一个程序锁定了文件 {}。</translation>
    </message>
    <message>
        <source>Evaluating the formula</source>
        <translation>正在计算公式</translation>
    </message>
    <message>
        <source>Checking the result</source>
        <translation>正在检查结果</translation>
    </message>
    <message>
        <source>the stored values are not those of the formula</source>
        <translation>存储的值与公式的结果不一致</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; of the copy has new values; the source is unchanged.</source>
        <translation>副本的字段“{}”有了新值；源数据没有改变。</translation>
    </message>
    <message>
        <source>{} results reach over a pole, in degrees: they are in no sum of areas.</source>
        <translation>{} 个结果以度计跨越极点：未计入任何面积之和。</translation>
    </message>
    <message>
        <source>{} results are invalid (fix_geometries repairs).</source>
        <translation>{} 个结果无效（可用 fix_geometries 修复）。</translation>
    </message>
    <message>
        <source>No feature has three places that are not in one line, so none has an area.</source>
        <translation>没有要素具有不在同一直线上的三个位置，因此都没有面积。</translation>
    </message>
    <message>
        <source>per &apos;field&apos; needs the field.</source>
        <translation>per 为“field”时需要给出字段。</translation>
    </message>
    <message>
        <source>No line has three vertices, so none makes a polygon.</source>
        <translation>没有线有三个顶点，因此无法生成面。</translation>
    </message>
    <message>
        <source>Borders that polygons share may come apart: each is simplified alone.</source>
        <translation>面之间共用的边界可能错开：每个面单独简化。</translation>
    </message>
    <message>
        <source>Give options.field.</source>
        <translation>请给出 options.field。</translation>
    </message>
    <message>
        <source>First reproject_layer to a CRS that goes on there, such as EPSG:3832, then use that layer.</source>
        <translation>请先用 reproject_layer 转换到在该处连续的 CRS，例如 EPSG:3832，再使用该图层。</translation>
    </message>
    <message>
        <source>All lines are closed: they have no ends.</source>
        <translation>所有线都是闭合的：它们没有端点。</translation>
    </message>
    <message>
        <source>For one shape around many features give options.per (layer or field).</source>
        <translation>如需为多个要素生成一个形状，请给出 options.per（layer 或 field）。</translation>
    </message>
    <message>
        <source>Check the features: lines must close areas, groups must span one.</source>
        <translation>请检查要素：线必须围成区域，各组要素必须能张成区域。</translation>
    </message>
    <message>
        <source>Renamed with _source: {}.</source>
        <translation>已加 _source 重命名：{}。</translation>
    </message>
    <message>
        <source>{} of them made nothing and are left out.</source>
        <translation>其中 {} 个没有生成结果，已忽略。</translation>
    </message>
    <message>
        <source>{} results reach around more than half of the earth: look at them at 180°.</source>
        <translation>{} 个结果绕地球超过半圈：请在 180° 处查看。</translation>
    </message>
    <message>
        <source>{} cannot be made per {}.</source>
        <translation>{} 不能按 {} 生成。</translation>
    </message>
    <message>
        <source>The features lie on both sides of 180°, where &apos;{}&apos; has its ends.</source>
        <translation>要素位于 180° 两侧，而“{}”在此处断开。</translation>
    </message>
    <message>
        <source>{} invalid geometries of &apos;{}&apos; were taken as they are (fix_geometries repairs).</source>
        <translation>“{1}”中的 {0} 个无效几何图形按原样使用（fix_geometries 可以修复）。</translation>
    </message>
    <message>
        <source>{} features have no three places that are not in one line and are left out.</source>
        <translation>{} 个要素没有三个不共线的位置，已忽略。</translation>
    </message>
    <message>
        <source>{} lines with fewer than three vertices are left out.</source>
        <translation>{} 条线少于三个顶点，已忽略。</translation>
    </message>
    <message>
        <source>{} closed lines have no ends and are left out.</source>
        <translation>{} 条闭合线没有端点，已忽略。</translation>
    </message>
    <message>
        <source>{} points lie on another one and get no polygon.</source>
        <translation>{} 个点与其他点重合，不生成多边形。</translation>
    </message>
    <message>
        <source>{} features lie on both sides of 180°: in degrees their {} is far from them.</source>
        <translation>{} 个要素位于 180° 两侧：按度计算，其 {} 会远离要素。</translation>
    </message>
    <message>
        <source>{} made nothing of the {} features.</source>
        <translation>{} 没有从 {} 个要素中生成任何结果。</translation>
    </message>
    <message>
        <source>{} results have no geometry</source>
        <translation>{} 个结果没有几何图形</translation>
    </message>
    <message>
        <source>{} polygons still have rings in the other direction</source>
        <translation>{} 个面仍有方向相反的环</translation>
    </message>
    <message>
        <source>the area has changed from {:.9g} to {:.9g} m²</source>
        <translation>面积由 {:.9g} 变为 {:.9g} m²</translation>
    </message>
    <message>
        <source>Leave options.per out; it is for: {}.</source>
        <translation>请去掉 options.per；它用于：{}。</translation>
    </message>
    <message>
        <source>{} needs three different places; there are {}.</source>
        <translation>{} 需要三个不同的位置；现有 {} 个。</translation>
    </message>
    <message>
        <source>None of the layers has features.</source>
        <translation>所有图层都没有要素。</translation>
    </message>
    <message>
        <source>the layers&apos; features do not add up</source>
        <translation>各图层的要素数加起来不符</translation>
    </message>
    <message>
        <source>{} layers merged</source>
        <translation>合并的 {} 个图层</translation>
    </message>
    <message>
        <source>A layer cannot be merged with itself.</source>
        <translation>图层不能与自身合并。</translation>
    </message>
    <message>
        <source>{} features of &apos;{}&apos; have no geometry; they are kept without.</source>
        <translation>“{1}”中有 {0} 个要素没有几何图形；它们按无几何图形保留。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; is {} in the layers; all became {}.</source>
        <translation>字段“{}”在各图层中的类型为 {}；已全部改为 {}。</translation>
    </message>
    <message>
        <source>Check the layers&apos; filters.</source>
        <translation>请检查各图层的过滤器。</translation>
    </message>
    <message>
        <source>Name at least two different layers.</source>
        <translation>请指定至少两个不同的图层。</translation>
    </message>
    <message>
        <source>Merge layers of one kind; derive_geometry makes points or lines of others.</source>
        <translation>请合并同一类型的图层；derive_geometry 可由其他类型生成点或线。</translation>
    </message>
    <message>
        <source>Ask the person which CRS they are in, then set_layer_crs.</source>
        <translation>请询问用户它们采用哪个 CRS，然后使用 set_layer_crs。</translation>
    </message>
    <message>
        <source>The layers are of different kinds: {}.</source>
        <translation>各图层的类型不同：{}。</translation>
    </message>
    <message>
        <source>These layers have no CRS: {}.</source>
        <translation>以下图层没有 CRS：{}。</translation>
    </message>
    <message>
        <source>The layers have a field &apos;{}&apos; already.</source>
        <translation>各图层中已有字段“{}”。</translation>
    </message>
    <message>
        <source>Converted to {}: {}.</source>
        <translation>已转换到 {}：{}。</translation>
    </message>
    <message>
        <source>Give source_field another name, such as {}_name.</source>
        <translation>请为 source_field 指定其他名称，例如 {}_name。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has no features.</source>
        <translation>“{}”没有要素。</translation>
    </message>
    <message>
        <source>All {} geometries are valid: nothing was repaired, no layer was added.</source>
        <translation>全部 {} 个几何图形都有效：未作修复，也未添加图层。</translation>
    </message>
    <message>
        <source>{} of {} features were invalid and are repaired in the new layer; &apos;{}&apos; is unchanged.</source>
        <translation>{1} 个要素中有 {0} 个无效，已在新图层中修复；“{2}”未更改。</translation>
    </message>
    <message>
        <source>{} features checked: {}.</source>
        <translation>已检查 {} 个要素：{}。</translation>
    </message>
    <message>
        <source>No problem was found, so no layer was added.</source>
        <translation>没有发现问题，因此未添加图层。</translation>
    </message>
    <message>
        <source>Use the checks validity, duplicates and multipart for other layers.</source>
        <translation>其他图层请使用 validity、duplicates 和 multipart 检查。</translation>
    </message>
    <message>
        <source>{} geometries had no area or length left and are empty.</source>
        <translation>{} 个几何图形没有剩余的面积或长度，现为空。</translation>
    </message>
    <message>
        <source>The area changes from {:.6g} to {:.6g} m².</source>
        <translation>面积由 {:.6g} 变为 {:.6g} m²。</translation>
    </message>
    <message>
        <source>Parts change from {} to {}.</source>
        <translation>部件数由 {} 变为 {}。</translation>
    </message>
    <message>
        <source>{} are for polygons; &apos;{}&apos; is a {} layer.</source>
        <translation>{} 用于面；“{}”是 {} 图层。</translation>
    </message>
    <message>
        <source>Checking the places</source>
        <translation>正在检查位置</translation>
    </message>
    <message>
        <source>Use the layer as it is.</source>
        <translation>请直接使用该图层。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in {} already.</source>
        <translation>“{}”已经是 {}。</translation>
    </message>
    <message>
        <source>{} features have no geometry; they are kept without.</source>
        <translation>{} 个要素没有几何图形；它们按无几何图形保留。</translation>
    </message>
    <message>
        <source>{} became {}</source>
        <translation>{} 变成了 {}</translation>
    </message>
    <message>
        <source>Comparing the keys</source>
        <translation>正在比较键</translation>
    </message>
    <message>
        <source>So no layer was added.</source>
        <translation>因此未添加图层。</translation>
    </message>
    <message>
        <source>within_distance knows the modes first (the nearest) and one_to_many.</source>
        <translation>within_distance 支持的模式为 first（最近的）和 one_to_many。</translation>
    </message>
    <message>
        <source>Use another field (describe_layer).</source>
        <translation>请使用其他字段（describe_layer）。</translation>
    </message>
    <message>
        <source>No key of &apos;{}&apos; is in &apos;{}&apos;.</source>
        <translation>“{}”的键都不在“{}”中。</translation>
    </message>
    <message>
        <source>For a summary buffer_layer first, then spatial_join with intersects.</source>
        <translation>如需汇总，请先用 buffer_layer，再用 spatial_join 的 intersects。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; cannot be a key: its values are no numbers, texts or dates.</source>
        <translation>字段“{}”不能作为键：它的值不是数值、文本或日期。</translation>
    </message>
    <message>
        <source>{} invalid polygons were repaired for the comparison only.</source>
        <translation>{} 个无效面仅为比较作了修复。</translation>
    </message>
    <message>
        <source>No feature has a neighbour: there is no other feature.</source>
        <translation>没有要素有邻近要素：没有其他要素。</translation>
    </message>
    <message>
        <source>No feature has a neighbour within {:.15g} m.</source>
        <translation>{:.15g} m 内没有要素有邻近要素。</translation>
    </message>
    <message>
        <source>For {} features another one is just as near and was left out (the lower id was taken).</source>
        <translation>{} 个要素另有一个同样近的要素，已忽略（取 id 较小者）。</translation>
    </message>
    <message>
        <source>{} features have no place on earth and were left out.</source>
        <translation>{} 个要素不在地球上，已忽略。</translation>
    </message>
    <message>
        <source>{} of {} features have no neighbour within {:.15g} m.</source>
        <translation>{1} 个要素中有 {0} 个在 {2:.15g} m 内没有邻近要素。</translation>
    </message>
    <message>
        <source>{} of {} features have no neighbour.</source>
        <translation>{1} 个要素中有 {0} 个没有邻近要素。</translation>
    </message>
    <message>
        <source>Lines of &apos;{}&apos; lie on each other: merged they are {:.3g} % shorter in sum.</source>
        <translation>“{}”的线互相重合：合并后总长度减少 {:.3g} %。</translation>
    </message>
    <message>
        <source>Polygons of &apos;{}&apos; overlap each other: merged they are {:.3g} % smaller in sum.</source>
        <translation>“{}”的面互相重叠：合并后总面积减少 {:.3g} %。</translation>
    </message>
    <message>
        <source>Each part has the count and aggregates of its whole group: do not add them up.</source>
        <translation>每个部分都带有整组的计数和汇总值：请勿相加。</translation>
    </message>
    <message>
        <source>Counting the rows</source>
        <translation>正在统计行数</translation>
    </message>
    <message>
        <source>Checking the groups</source>
        <translation>正在检查分组</translation>
    </message>
    <message>
        <source>ellipsoidal, WGS 84</source>
        <translation>椭球面，WGS 84</translation>
    </message>
    <message>
        <source>Measuring the pieces</source>
        <translation>正在量测图块</translation>
    </message>
    <message>
        <source>planar overlay in {} (straight edges there); sizes on the WGS 84 ellipsoid</source>
        <translation>在 {} 中进行平面叠加（边在其中为直线）；大小按 WGS 84 椭球面计算</translation>
    </message>
    <message>
        <source>Checking the areas</source>
        <translation>正在检查面积</translation>
    </message>
    <message>
        <source>Polygons of {} overlap each other: their areas add up to {:.3g} % more than they cover.</source>
        <translation>{} 的面互相重叠：面积之和比实际覆盖范围多 {:.3g} %。</translation>
    </message>
    <message>
        <source>No piece is left, so no layer was added.</source>
        <translation>没有剩余图块，因此未添加图层。</translation>
    </message>
    <message>
        <source>Nothing is left: &apos;{}&apos; covers all of &apos;{}&apos;.</source>
        <translation>没有剩余：“{}”完全覆盖“{}”。</translation>
    </message>
    <message>
        <source>{} pieces smaller than min_area_m2 were dropped.</source>
        <translation>已去除 {} 个小于 min_area_m2 的图块。</translation>
    </message>
    <message>
        <source>{} pieces look like slivers (thin and tiny); min_area_m2 can drop them.</source>
        <translation>{} 个图块看起来是碎屑多边形（又细又小）；可用 min_area_m2 去除。</translation>
    </message>
    <message>
        <source>The result is empty, so no layer was added: &apos;{}&apos; and &apos;{}&apos; do not overlap (check CRSs).</source>
        <translation>结果为空，因此未添加图层：“{}”与“{}”不重叠（请检查 CRS）。</translation>
    </message>
    <message>
        <source>No algorithm fits these words; say the task in other words.</source>
        <translation>没有与这些词匹配的算法；请换一种说法描述任务。</translation>
    </message>
    <message>
        <source>{} is {} here.</source>
        <translation>{} 在此处为 {}。</translation>
    </message>
    <message>
        <source>Rather use {}.</source>
        <translation>建议改用 {}。</translation>
    </message>
    <message>
        <source>{}: {} Of the {} runs none was added.</source>
        <translation>{}：{}共 {} 次运行，均未添加结果。</translation>
    </message>
    <message>
        <source>No feature of &apos;{}&apos; found a partner: nothing was joined.</source>
        <translation>“{}”的要素都没有找到匹配：未作连接。</translation>
    </message>
    <message>
        <source>The result &apos;{}&apos; has no features.</source>
        <translation>结果“{}”没有要素。</translation>
    </message>
    <message>
        <source>No cell has a value: nowhere do all inputs have one that the formula can take.</source>
        <translation>没有像元有值：没有任何位置的所有输入都具有公式可用的值。</translation>
    </message>
    <message>
        <source>the cells of A</source>
        <translation>A 的像元</translation>
    </message>
    <message>
        <source>The rasters have no place in common, so no cell has a value.</source>
        <translation>这些栅格没有共同的位置，因此没有像元有值。</translation>
    </message>
    <message>
        <source>One of formula and index is needed, not both.</source>
        <translation>formula 和 index 需要且只能给出一个。</translation>
    </message>
    <message>
        <source>Give one layer and band for each letter, or one layer with several bands.</source>
        <translation>请为每个字母给出一个图层和一个波段，或给出一个多波段图层。</translation>
    </message>
    <message>
        <source>The rasters have no place in common, so no cell would have a value.</source>
        <translation>这些栅格没有共同的位置，因此不会有像元有值。</translation>
    </message>
    <message>
        <source>cells of A ({})</source>
        <translation>A 的像元（{}）</translation>
    </message>
    <message>
        <source>{} expects reflectances from 0 to 1, and the values are larger: give options.scale.</source>
        <translation>{} 需要 0 到 1 的反射率，而这些值更大：请给出 options.scale。</translation>
    </message>
    <message>
        <source>Give bands and roles of the same length, as bands [4, 3], roles [nir, red].</source>
        <translation>请给出长度相同的 bands 和 roles，例如 bands [4, 3]、roles [nir, red]。</translation>
    </message>
    <message>
        <source>options.reproject true brings them to the CRS of A (nearest neighbour).</source>
        <translation>将 options.reproject 设为 true，可把它们转换到 A 的 CRS（最邻近法）。</translation>
    </message>
    <message>
        <source>get_raster_info tells where each lies; check their CRSs.</source>
        <translation>get_raster_info 会给出各栅格的位置；请检查它们的 CRS。</translation>
    </message>
    <message>
        <source>the file has {} cells with a value, {} were calculated</source>
        <translation>文件中有 {} 个像元有值，而计算得到 {} 个</translation>
    </message>
    <message>
        <source>The rasters overlap in {} of {} cells; elsewhere the result has no value.</source>
        <translation>这些栅格在 {1} 个像元中的 {0} 个重叠；其余位置的结果没有值。</translation>
    </message>
    <message>
        <source>In {} cells the formula has no value (division by zero, root or logarithm of a negative number, overflow): nodata.</source>
        <translation>{} 个像元的公式没有值（除以零、负数开方或取对数、溢出）：记为无数据值。</translation>
    </message>
    <message>
        <source>{} layers and {} bands do not fit together.</source>
        <translation>{} 个图层与 {} 个波段不对应。</translation>
    </message>
    <message>
        <source>{} needs the bands {}, one role for each band.</source>
        <translation>{} 需要波段 {}，每个波段对应一个角色。</translation>
    </message>
    <message>
        <source>The rasters have different CRSs: {}.</source>
        <translation>这些栅格的 CRS 不同：{}。</translation>
    </message>
    <message>
        <source>The grid of {} differs from that of A: read at the centres of A&apos;s cells (nearest).</source>
        <translation>{} 的格网与 A 的不同：在 A 的像元中心处读取（最邻近）。</translation>
    </message>
    <message>
        <source>Reprojected to the CRS of A (nearest neighbour): {}.</source>
        <translation>已重投影到 A 的 CRS（最邻近法）：{}。</translation>
    </message>
    <message>
        <source>cells whose centre is inside the polygons</source>
        <translation>中心位于面内的像元</translation>
    </message>
    <message>
        <source>bbox goes on past the raster&apos;s edge; its two sides are not side by side in the raster.</source>
        <translation>bbox 超出栅格边缘；它的两部分在栅格中不相邻。</translation>
    </message>
    <message>
        <source>One of mask_layer_id and bbox is needed, not both.</source>
        <translation>mask_layer_id 和 bbox 需要且只能给出一个。</translation>
    </message>
    <message>
        <source>{} clipped</source>
        <translation>{} 裁剪</translation>
    </message>
    <message>
        <source>No cell with a value has its centre inside: the mask lies on nodata or is smaller than a cell.</source>
        <translation>没有有值像元的中心位于其中：掩膜位于无数据值处，或小于一个像元。</translation>
    </message>
    <message>
        <source>more cells have a value than before</source>
        <translation>有值的像元比之前多</translation>
    </message>
    <message>
        <source>Clip each side by itself, as [170, …, 180, …] and [-180, …, -170, …].</source>
        <translation>请分别裁剪两侧，例如 [170, …, 180, …] 和 [-180, …, -170, …]。</translation>
    </message>
    <message>
        <source>Give a polygon layer as mask_layer_id, or bbox [west, south, east, north].</source>
        <translation>请将面图层作为 mask_layer_id，或给出 bbox [西, 南, 东, 北]。</translation>
    </message>
    <message>
        <source>where chooses polygons of mask_layer_id, and there is none.</source>
        <translation>where 用于选择 mask_layer_id 的面，但没有给出 mask_layer_id。</translation>
    </message>
    <message>
        <source>get_raster_info tells where the raster lies; check the CRS of both.</source>
        <translation>get_raster_info 会给出栅格的位置；请检查两者的 CRS。</translation>
    </message>
    <message>
        <source>Leave where out, or give mask_layer_id.</source>
        <translation>请去掉 where，或给出 mask_layer_id。</translation>
    </message>
    <message>
        <source>{} does not touch the raster, so nothing was clipped.</source>
        <translation>{} 与栅格不相接，因此未作裁剪。</translation>
    </message>
    <message>
        <source>All values of the type are in use, so the result has a larger type and nodata {:.10g}.</source>
        <translation>该类型的值已全部用到，因此结果采用更大的类型，无数据值为 {:.10g}。</translation>
    </message>
    <message>
        <source>{} contours {:.10g}</source>
        <translation>{} 等值线 {:.10g}</translation>
    </message>
    <message>
        <source>Choose a smaller interval or min_length_m.</source>
        <translation>请选择更小的间隔或 min_length_m。</translation>
    </message>
    <message>
        <source>The values go from {:.10g} to {:.10g}: no line of interval {:.10g} lies between.</source>
        <translation>值从 {:.10g} 到 {:.10g}：其间没有间隔为 {:.10g} 的线。</translation>
    </message>
    <message>
        <source>The values go from {:.10g} to {:.10g}: that would be {} levels, at most {} are drawn.</source>
        <translation>值从 {:.10g} 到 {:.10g}：将有 {} 级，最多绘制 {} 级。</translation>
    </message>
    <message>
        <source>There is no line (of at least {:.10g} m).</source>
        <translation>没有线（长度至少 {:.10g} m）。</translation>
    </message>
    <message>
        <source>Choose a smaller interval, such as {:.2g}, or another base.</source>
        <translation>请选择更小的间隔，例如 {:.2g}，或其他基准值。</translation>
    </message>
    <message>
        <source>Choose an interval of at least {:.3g}; an undeclared nodata value may be the reason.</source>
        <translation>请选择至少 {:.3g} 的间隔；原因可能是未声明的无数据值。</translation>
    </message>
    <message>
        <source>a line has the value {:.10g}</source>
        <translation>有一条线的值为 {:.10g}</translation>
    </message>
    <message>
        <source>cells of equal value that share a side are one polygon</source>
        <translation>值相等且共边的像元构成一个面</translation>
    </message>
    <message>
        <source>field, cell_size_m and where go with method raster only.</source>
        <translation>field、cell_size_m 和 where 只用于方法 raster。</translation>
    </message>
    <message>
        <source>Leave them out.</source>
        <translation>请去掉它们。</translation>
    </message>
    <message>
        <source>polygons: cells whose centre is inside; lines: the cells along them; where features overlap, the last one</source>
        <translation>面：中心位于面内的像元；线：沿线的像元；要素重叠处取最后一个</translation>
    </message>
    <message>
        <source>Clip the raster first (clip_raster), or resample it to larger cells (gdal:warpreproject).</source>
        <translation>请先裁剪栅格（clip_raster），或将其重采样为更大的像元（gdal:warpreproject）。</translation>
    </message>
    <message>
        <source>The raster holds measured values, which would be cut to whole numbers in polygons.</source>
        <translation>栅格中是量测值，转为面时会被截成整数。</translation>
    </message>
    <message>
        <source>Make classes first with reclassify_raster, or lines with contour_raster.</source>
        <translation>请先用 reclassify_raster 分级，或用 contour_raster 生成线。</translation>
    </message>
    <message>
        <source>cell_size_m is needed to make a raster.</source>
        <translation>生成栅格需要 cell_size_m。</translation>
    </message>
    <message>
        <source>Give the side of a cell in metres, e.g. a hundredth of the layer&apos;s width.</source>
        <translation>请给出以米为单位的像元边长，例如图层宽度的百分之一。</translation>
    </message>
    <message>
        <source>Checking the polygons</source>
        <translation>正在检查面</translation>
    </message>
    <message>
        <source>No cell got a value: the features are smaller than a cell of {:.10g} m.</source>
        <translation>没有像元得到值：要素小于 {:.10g} m 的像元。</translation>
    </message>
    <message>
        <source>The layer&apos;s CRS is not true to metres; the raster is in {}.</source>
        <translation>图层的 CRS 不能准确按米量测；栅格采用 {}。</translation>
    </message>
    <message>
        <source>The raster has {:,} cells with a value; {} are made of at most {:,}.</source>
        <translation>栅格有 {:,} 个有值的像元；{} 最多由 {:,} 个像元生成。</translation>
    </message>
    <message>
        <source>cells from {:.6g} to {:.6g}</source>
        <translation>像元值从 {:.6g} 到 {:.6g}</translation>
    </message>
    <message>
        <source>the polygons have an area of {:.8g}, the cells of {:.8g}</source>
        <translation>面的面积为 {:.8g}，像元的面积为 {:.8g}</translation>
    </message>
    <message>
        <source>{} reclassified</source>
        <translation>{} 重分类</translation>
    </message>
    <message>
        <source>No cell lies in a range of the table.</source>
        <translation>没有像元位于表中的范围内。</translation>
    </message>
    <message>
        <source>ellipsoidal, WGS 84: the cell in the middle of each row</source>
        <translation>椭球面，WGS 84：每行取正中的像元</translation>
    </message>
    <message>
        <source>Counting cells</source>
        <translation>正在统计像元</translation>
    </message>
    <message>
        <source>Choose ranges within the values.</source>
        <translation>请在值的范围内选择区间。</translation>
    </message>
    <message>
        <source>The values go from {:.10g} to {:.10g}: no range of the table holds any.</source>
        <translation>值从 {:.10g} 到 {:.10g}：表中没有任何区间包含它们。</translation>
    </message>
    <message>
        <source>The table has gaps: {}.</source>
        <translation>表中有空缺：{}。</translation>
    </message>
    <message>
        <source>{} cells are in no range: they are nodata now.</source>
        <translation>{} 个像元不在任何区间内：现为无数据值。</translation>
    </message>
    <message>
        <source>The ranges go from {:.10g} to {:.10g} ({}).</source>
        <translation>各区间从 {:.10g} 到 {:.10g}（{}）。</translation>
    </message>
    <message>
        <source>{} cells are in no range: they keep their value.</source>
        <translation>{} 个像元不在任何区间内：保留原值。</translation>
    </message>
    <message>
        <source>Choose cell_size_m of a tenth of radius_m.</source>
        <translation>请将 cell_size_m 设为 radius_m 的十分之一。</translation>
    </message>
    <message>
        <source>No cell lies within the radius of a point.</source>
        <translation>没有像元位于点的半径范围内。</translation>
    </message>
    <message>
        <source>Use method tin, a larger cell_size_m, or fewer points (where).</source>
        <translation>请使用方法 tin、更大的 cell_size_m 或更少的点（where）。</translation>
    </message>
    <message>
        <source>No cell has a value.</source>
        <translation>没有像元有值。</translation>
    </message>
    <message>
        <source>{:.1f} % of the area lies beyond the points&apos; hull: extrapolated there.</source>
        <translation>{:.1f} % 的区域位于点的凸包之外：此处为外推值。</translation>
    </message>
    <message>
        <source>{:.1f} % of the area lies beyond the points&apos; hull: nodata there.</source>
        <translation>{:.1f} % 的区域位于点的凸包之外：此处为无数据值。</translation>
    </message>
    <message>
        <source>tin needs three points that are not in a line, idw two.</source>
        <translation>tin 需要三个不共线的点，idw 需要两个点。</translation>
    </message>
    <message>
        <source>linear in triangles (TIN)</source>
        <translation>三角形内线性插值（TIN）</translation>
    </message>
    <message>
        <source>A cell of {:.10g} m is larger than the radius.</source>
        <translation>{:.10g} m 的像元大于半径。</translation>
    </message>
    <message>
        <source>a cell has {:.6g}, and all points together {:.6g}</source>
        <translation>有一个像元为 {:.6g}，而所有点合计为 {:.6g}</translation>
    </message>
    <message>
        <source>sum over points of {} × {}; not divided by an area; QGIS places each point to within one cell</source>
        <translation>对各点的 {} × {} 求和；未除以面积；QGIS 放置各点的偏差在一个像元以内</translation>
    </message>
    <message>
        <source>{:,} points and {:,} cells are too many for inverse distances.</source>
        <translation>{:,} 个点和 {:,} 个像元对反距离法来说太多。</translation>
    </message>
    <message>
        <source>{} different places are too few, or lie in one line.</source>
        <translation>{} 个不同的位置太少，或位于一条直线上。</translation>
    </message>
    <message>
        <source>{} points have no value in &apos;{}&apos; and are left out.</source>
        <translation>{} 个点在“{}”中没有值，已忽略。</translation>
    </message>
    <message>
        <source>{} points lie where another lies, {} places have different values.</source>
        <translation>{} 个点与其他点重合，{} 个位置有不同的值。</translation>
    </message>
    <message>
        <source>the surface goes from {:.6g} to {:.6g}, the points from {:.6g} to {:.6g}</source>
        <translation>表面从 {:.6g} 到 {:.6g}，点从 {:.6g} 到 {:.6g}</translation>
    </message>
    <message>
        <source>inverse distance, power {:.10g}, all points</source>
        <translation>反距离，幂 {:.10g}，所有点</translation>
    </message>
    <message>
        <source>Cells at the edge and beside nodata have no value.</source>
        <translation>边缘及无数据值旁的像元没有值。</translation>
    </message>
    <message>
        <source>The raster has {} bands; heights are taken from band 1.</source>
        <translation>栅格有 {} 个波段；高程取自波段 1。</translation>
    </message>
    <message>
        <source>degrees</source>
        <translation>度</translation>
    </message>
    <message>
        <source>degrees clockwise from north</source>
        <translation>从正北顺时针的度数</translation>
    </message>
    <message>
        <source>brightness 0 to 255</source>
        <translation>亮度 0 到 255</translation>
    </message>
    <message>
        <source>unit of the heights ({})</source>
        <translation>高程的单位（{}）</translation>
    </message>
    <message>
        <source>No cell has a {}: the surface is flat everywhere or has holes.</source>
        <translation>没有像元有 {}：表面处处平坦或有空洞。</translation>
    </message>
    <message>
        <source>{} from {:.6g} to {:.6g}</source>
        <translation>{} 从 {:.6g} 到 {:.6g}</translation>
    </message>
    <message>
        <source>The raster&apos;s CRS is not true to metres; worked in {} with cells of {:.4g} m (bilinear).</source>
        <translation>栅格的 CRS 不能准确按米量测；已在 {} 中以 {:.4g} m 的像元处理（双线性）。</translation>
    </message>
    <message>
        <source>{} flat cells have no aspect: they are nodata.</source>
        <translation>{} 个平坦像元没有坡向：为无数据值。</translation>
    </message>
    <message>
        <source>Looking at zones and cells</source>
        <translation>正在查看分区和像元</translation>
    </message>
    <message>
        <source>The zones do not touch the raster.</source>
        <translation>分区与栅格不相接。</translation>
    </message>
    <message>
        <source>Check with get_raster_info where the raster lies and has values, and both CRSs.</source>
        <translation>请用 get_raster_info 检查栅格的位置、有值的区域及两者的 CRS。</translation>
    </message>
    <message>
        <source>Scale {:.10g} and offset {:.10g} of band {} are applied.</source>
        <translation>已应用波段 {2} 的缩放 {0:.10g} 和偏移 {1:.10g}。</translation>
    </message>
    <message>
        <source>None of the {} zones holds a cell with a value: nothing was added.</source>
        <translation>{} 个分区都没有包含有值的像元：未添加任何内容。</translation>
    </message>
    <message>
        <source>{} zones have no geometry: they are in the result without numbers.</source>
        <translation>{} 个分区没有几何图形：结果中没有其数值。</translation>
    </message>
    <message>
        <source>{} of {} zones hold no cell with a value; they have no statistics.</source>
        <translation>{1} 个分区中有 {0} 个没有包含有值的像元；它们没有统计值。</translation>
    </message>
    <message>
        <source>{} zones are about as small as a cell: their cells count by the share inside.</source>
        <translation>{} 个分区大小接近一个像元：其像元按位于分区内的比例计入。</translation>
    </message>
    <message>
        <source>Ask the person to select features, use select_features, or leave selected out.</source>
        <translation>请让用户选择要素，使用 select_features，或去掉 selected。</translation>
    </message>
    <message>
        <source>Take a smaller distance.</source>
        <translation>请使用更小的距离。</translation>
    </message>
    <message>
        <source>{} of {} polygons are too narrow and vanished.</source>
        <translation>{1} 个面中有 {0} 个太窄，已消失。</translation>
    </message>
    <message>
        <source>No feature of &apos;{}&apos; is selected.</source>
        <translation>“{}”没有选中的要素。</translation>
    </message>
    <message>
        <source>Nothing is left of the {} polygons at {:.15g} m inwards.</source>
        <translation>{} 个面向内缩 {:.15g} m 后全部消失。</translation>
    </message>
    <message>
        <source>{} polygons have no area, so no point is in them.</source>
        <translation>{} 个面没有面积，因此其中没有点。</translation>
    </message>
    <message>
        <source>Store a bookmark?</source>
        <translation>要保存书签吗？</translation>
    </message>
    <message>
        <source>Remove a bookmark?</source>
        <translation>要移除书签吗？</translation>
    </message>
    <message>
        <source>the project (kept when it is saved)</source>
        <translation>工程（随工程保存）</translation>
    </message>
    <message>
        <source>your QGIS profile</source>
        <translation>您的 QGIS 配置文件</translation>
    </message>
    <message>
        <source>It is kept for good when the project is saved.</source>
        <translation>保存工程时永久保留。</translation>
    </message>
    <message>
        <source>Give another name, or remove that one first.</source>
        <translation>请使用其他名称，或先移除该书签。</translation>
    </message>
    <message>
        <source>This is no box in degrees.</source>
        <translation>这不是以度为单位的范围。</translation>
    </message>
    <message>
        <source>Give [west, south, east, north], west &lt; east and south &lt; north.</source>
        <translation>请给出 [西, 南, 东, 北]，西 &lt; 东 且 南 &lt; 北。</translation>
    </message>
    <message>
        <source>A bookmark is removed by its name.</source>
        <translation>书签按名称移除。</translation>
    </message>
    <message>
        <source>Leave bbox out.</source>
        <translation>请去掉 bbox。</translation>
    </message>
    <message>
        <source>Bookmark</source>
        <translation>书签</translation>
    </message>
    <message>
        <source>West, south, east, north</source>
        <translation>西, 南, 东, 北</translation>
    </message>
    <message>
        <source>QGIS did not take the bookmark.</source>
        <translation>QGIS 没有接受书签。</translation>
    </message>
    <message>
        <source>Ask the person to remove the right one in QGIS&apos;s bookmark panel.</source>
        <translation>请让用户在 QGIS 的书签面板中移除正确的书签。</translation>
    </message>
    <message>
        <source>Try another name, or the other store.</source>
        <translation>请尝试其他名称，或其他存储位置。</translation>
    </message>
    <message>
        <source>There is a bookmark &apos;{}&apos; already.</source>
        <translation>已有书签“{}”。</translation>
    </message>
    <message>
        <source>There is no bookmark &apos;{}&apos;.</source>
        <translation>没有书签“{}”。</translation>
    </message>
    <message>
        <source>{} bookmarks are called &apos;{}&apos;.</source>
        <translation>有 {} 个书签名为“{}”。</translation>
    </message>
    <message>
        <source>New features take plain values, not formulas.</source>
        <translation>新要素只接受普通值，不接受公式。</translation>
    </message>
    <message>
        <source>Give value; set formulas afterwards with action set.</source>
        <translation>请给出 value；之后再用 set 操作设置公式。</translation>
    </message>
    <message>
        <source>Nothing to change: no feature matches.</source>
        <translation>没有需要更改的内容：没有匹配的要素。</translation>
    </message>
    <message>
        <source>the layer&apos;s data</source>
        <translation>图层的数据</translation>
    </message>
    <message>
        <source>no: the layer stays in edit mode; Ctrl+Z takes it back, you save it</source>
        <translation>否：图层保持编辑模式；可用 Ctrl+Z 撤销，由您保存</translation>
    </message>
    <message>
        <source>Narrow it with where, for example by its key.</source>
        <translation>请用 where 缩小范围，例如按键。</translation>
    </message>
    <message>
        <source>A new feature of this layer needs a shape.</source>
        <translation>此图层的新要素需要形状。</translation>
    </message>
    <message>
        <source>Give wkt in degrees, longitude first.</source>
        <translation>请给出以度为单位的 wkt，经度在前。</translation>
    </message>
    <message>
        <source>Which features are meant is not said.</source>
        <translation>未说明指的是哪些要素。</translation>
    </message>
    <message>
        <source>Give where, or options selected_only or all_features.</source>
        <translation>请给出 where，或选项 selected_only 或 all_features。</translation>
    </message>
    <message>
        <source>set takes values, no features</source>
        <translation>set 接受值，不接受要素</translation>
    </message>
    <message>
        <source>delete takes no values and no features</source>
        <translation>delete 不接受值，也不接受要素</translation>
    </message>
    <message>
        <source>add takes features with their values in them, and nothing that chooses features</source>
        <translation>add 接受带有值的要素，不接受用于选择要素的参数</translation>
    </message>
    <message>
        <source>geometry takes one feature with wkt</source>
        <translation>geometry 接受一个带 wkt 的要素</translation>
    </message>
    <message>
        <source>The arguments do not go with the action.</source>
        <translation>参数与操作不匹配。</translation>
    </message>
    <message>
        <source>Nothing to change: the features have these values already.</source>
        <translation>没有需要更改的内容：要素已具有这些值。</translation>
    </message>
    <message>
        <source>Change values of features?</source>
        <translation>要更改要素的值吗？</translation>
    </message>
    <message>
        <source>Delete features?</source>
        <translation>要删除要素吗？</translation>
    </message>
    <message>
        <source>Add features?</source>
        <translation>要添加要素吗？</translation>
    </message>
    <message>
        <source>Give a feature another shape?</source>
        <translation>要为要素更换形状吗？</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>yes, to {}</source>
        <translation>是，保存到 {}</translation>
    </message>
    <message>
        <source>Unsaved edits</source>
        <translation>未保存的编辑</translation>
    </message>
    <message>
        <source>yours stay as they are</source>
        <translation>您的编辑保持不变</translation>
    </message>
    <message>
        <source>One feature gets a new shape, and {} match.</source>
        <translation>一个要素获得新形状，而匹配的有 {} 个。</translation>
    </message>
    <message>
        <source>Leave encoding out, or use the format ESRI Shapefile.</source>
        <translation>请去掉 encoding，或使用 ESRI Shapefile 格式。</translation>
    </message>
    <message>
        <source>csv_geometry is for the format CSV only.</source>
        <translation>csv_geometry 只用于 CSV 格式。</translation>
    </message>
    <message>
        <source>Leave csv_geometry out.</source>
        <translation>请去掉 csv_geometry。</translation>
    </message>
    <message>
        <source>Columns X and Y are for layers of single points.</source>
        <translation>X、Y 列只用于单点图层。</translation>
    </message>
    <message>
        <source>Use csv_geometry wkt or none.</source>
        <translation>请将 csv_geometry 设为 wkt 或 none。</translation>
    </message>
    <message>
        <source>GPX holds single points and lines only.</source>
        <translation>GPX 只能存储单点和线。</translation>
    </message>
    <message>
        <source>Use KML or GeoJSON.</source>
        <translation>请使用 KML 或 GeoJSON。</translation>
    </message>
    <message>
        <source>Use CSV, XLSX or GPKG.</source>
        <translation>请使用 CSV、XLSX 或 GPKG。</translation>
    </message>
    <message>
        <source>(selected ones only)</source>
        <translation>（仅选中的要素）</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Give layer_id, path and perhaps crs; clip_raster cuts it first.</source>
        <translation>请给出 layer_id、path，必要时给出 crs；可先用 clip_raster 裁剪。</translation>
    </message>
    <message>
        <source>Only rasters of a local file can be exported.</source>
        <translation>只能导出本地文件的栅格。</translation>
    </message>
    <message>
        <source>Cells</source>
        <translation>像元</translation>
    </message>
    <message>
        <source>Only the fields</source>
        <translation>仅含字段</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>编码</translation>
    </message>
    <message>
        <source>Conditions</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>as in the arguments below (where)</source>
        <translation>与下方参数（where）相同</translation>
    </message>
    <message>
        <source>are written too</source>
        <translation>也会写入</translation>
    </message>
    <message>
        <source>Export the map as a layout, or add the raster from a file.</source>
        <translation>请将地图作为布局导出，或从文件添加该栅格。</translation>
    </message>
    <message>
        <source>Resampling</source>
        <translation>重采样</translation>
    </message>
    <message>
        <source>nearest cell, into the new CRS</source>
        <translation>最邻近像元，转换到新 CRS</translation>
    </message>
    <message>
        <source>A vector layer cannot be written as {}.</source>
        <translation>矢量图层不能写为 {}。</translation>
    </message>
    <message>
        <source>{} is always written in UTF-8.</source>
        <translation>{} 总是以 UTF-8 写入。</translation>
    </message>
    <message>
        <source>{} holds shapes, and this layer has none.</source>
        <translation>{} 存储形状，而此图层没有形状。</translation>
    </message>
    <message>
        <source>The layer has no CRS, and {} is always in EPSG:4326.</source>
        <translation>图层没有 CRS，而 {} 总是采用 EPSG:4326。</translation>
    </message>
    <message>
        <source>{} is always in EPSG:4326.</source>
        <translation>{} 总是采用 EPSG:4326。</translation>
    </message>
    <message>
        <source>A raster is written as {}, whole.</source>
        <translation>栅格整体写为 {}。</translation>
    </message>
    <message>
        <source>Formats: {}.</source>
        <translation>格式：{}。</translation>
    </message>
    <message>
        <source>Save the project?</source>
        <translation>要保存工程吗？</translation>
    </message>
    <message>
        <source>The old file is as before; try a new path.</source>
        <translation>旧文件保持原样；请尝试新的路径。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Saved, and every layer found in the file.</source>
        <translation>已保存，且文件中包含所有图层。</translation>
    </message>
    <message>
        <source>the file cannot be read again.</source>
        <translation>文件无法再次读取。</translation>
    </message>
    <message>
        <source>The project has no file yet.</source>
        <translation>工程还没有文件。</translation>
    </message>
    <message>
        <source>The project is not kept in a .qgz or .qgs file that is there.</source>
        <translation>工程没有保存在现有的 .qgz 或 .qgs 文件中。</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>工程</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>图层</translation>
    </message>
    <message>
        <source>Use .qgz or .qgs.</source>
        <translation>请使用 .qgz 或 .qgs。</translation>
    </message>
    <message>
        <source>Give path: a new .qgz file.</source>
        <translation>请给出 path：新的 .qgz 文件。</translation>
    </message>
    <message>
        <source>Give path: a new .qgz file, or ask the person to save it.</source>
        <translation>请给出 path：新的 .qgz 文件，或让用户保存工程。</translation>
    </message>
    <message>
        <source>Give path: a new file in an allowed folder.</source>
        <translation>请给出 path：允许的文件夹中的新文件。</translation>
    </message>
    <message>
        <source>the project as it was saved last</source>
        <translation>上次保存的工程</translation>
    </message>
    <message>
        <source>Kept as a copy</source>
        <translation>保留为副本</translation>
    </message>
    <message>
        <source>{} (in memory or temporary: export them first)</source>
        <translation>{}（在内存中或为临时图层：请先导出）</translation>
    </message>
    <message>
        <source>Layers whose data is lost</source>
        <translation>数据会丢失的图层</translation>
    </message>
    <message>
        <source>Edits that are not saved with it</source>
        <translation>不随工程保存的编辑</translation>
    </message>
    <message>
        <source>Passwords in plain text in layers</source>
        <translation>图层中的明文密码</translation>
    </message>
    <message>
        <source>Variables in plain text that look secret</source>
        <translation>看似机密的明文变量</translation>
    </message>
    <message>
        <source>Layers in memory are empty when it is opened again: export them.</source>
        <translation>内存图层在重新打开时为空：请导出它们。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no ending of a project.</source>
        <translation>“{}”不是工程的扩展名。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is outside the folders that may be written.</source>
        <translation>“{}”位于允许写入的文件夹之外。</translation>
    </message>
    <message>
        <source>From then on</source>
        <translation>此后</translation>
    </message>
    <message>
        <source>the open project is the new file</source>
        <translation>打开的工程即为新文件</translation>
    </message>
    <message>
        <source>{} layers</source>
        <translation>{} 个图层</translation>
    </message>
    <message>
        <source>{} layers are not in it.</source>
        <translation>{} 个图层不在其中。</translation>
    </message>
    <message>
        <source>in this session, with its joins, relations and themes (the last {} layers)</source>
        <translation>在本次会话中，连同连接、关系和主题（最近 {} 个图层）</translation>
    </message>
    <message>
        <source>Take layers out of the project?</source>
        <translation>要从工程中移除图层吗？</translation>
    </message>
    <message>
        <source>Put removed layers back?</source>
        <translation>要放回移除的图层吗？</translation>
    </message>
    <message>
        <source>its data is only in memory or temporary: it is lost when QGIS closes</source>
        <translation>其数据只在内存中或为临时数据：QGIS 关闭时会丢失</translation>
    </message>
    <message>
        <source>Can be put back</source>
        <translation>可以放回</translation>
    </message>
    <message>
        <source>Removed from the project; restore puts them back in this session.</source>
        <translation>已从工程中移除；在本次会话中可用 restore 放回。</translation>
    </message>
    <message>
        <source>Put back with place, themes, relations and joins.</source>
        <translation>已放回，包括位置、主题、关系和连接。</translation>
    </message>
    <message>
        <source>Look at the layers again; the person can remove them in the layer panel.</source>
        <translation>请重新查看图层；用户可以在图层面板中移除它们。</translation>
    </message>
    <message>
        <source>Ask the person to save or discard them first.</source>
        <translation>请让用户先保存或放弃这些编辑。</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>QGIS did not put all of the layers back.</source>
        <translation>QGIS 没有放回全部图层。</translation>
    </message>
    <message>
        <source>No layer &apos;{}&apos; was removed in this session.</source>
        <translation>本次会话中没有移除过图层“{}”。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; has unsaved edits.</source>
        <translation>图层“{}”有未保存的编辑。</translation>
    </message>
    <message>
        <source>stays where it is: {}</source>
        <translation>保留在原处：{}</translation>
    </message>
    <message>
        <source>QGIS did not remove all of the layers.</source>
        <translation>QGIS 没有移除全部图层。</translation>
    </message>
    <message>
        <source>Not set again: {}</source>
        <translation>未重新设置：{}</translation>
    </message>
    <message>
        <source>a tool&apos;s result</source>
        <translation>工具的结果</translation>
    </message>
    <message>
        <source>written by the agent</source>
        <translation>由智能体编写</translation>
    </message>
    <message>
        <source>The rows come from rows or from result_ref: give one of them.</source>
        <translation>行来自 rows 或 result_ref：请给出其中一个。</translation>
    </message>
    <message>
        <source>single_object is for JSON of one row.</source>
        <translation>single_object 用于单行的 JSON。</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Texts that a spreadsheet takes for formulas</source>
        <translation>会被电子表格当作公式的文本</translation>
    </message>
    <message>
        <source>Further rows</source>
        <translation>其余行</translation>
    </message>
    <message>
        <source>what was read back differs.</source>
        <translation>读回的内容不同。</translation>
    </message>
    <message>
        <source>The result has more than {} rows.</source>
        <translation>结果超过 {} 行。</translation>
    </message>
    <message>
        <source>rows: up to {} flat objects; result_ref: what a tool returned.</source>
        <translation>rows：最多 {} 个扁平对象；result_ref：工具返回的内容。</translation>
    </message>
    <message>
        <source>{} bytes</source>
        <translation>{} 字节</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>正在写入</translation>
    </message>
    <message>
        <source>{} rows</source>
        <translation>{} 行</translation>
    </message>
    <message>
        <source>Written and read back: {} rows.</source>
        <translation>已写入并读回：{} 行。</translation>
    </message>
    <message>
        <source>Row {}</source>
        <translation>第 {} 行</translation>
    </message>
    <message>
        <source>{} features have no geometry, {} before.</source>
        <translation>{} 个要素没有几何图形，之前为 {} 个。</translation>
    </message>
    <message>
        <source>the extent is another one</source>
        <translation>范围不同</translation>
    </message>
    <message>
        <source>the first or the last row differs</source>
        <translation>第一行或最后一行不同</translation>
    </message>
    <message>
        <source>the values of &apos;{}&apos; differ</source>
        <translation>“{}”的值不同</translation>
    </message>
    <message>
        <source>This QGIS cannot write the format {}.</source>
        <translation>此 QGIS 不能写入 {} 格式。</translation>
    </message>
    <message>
        <source>It writes: {}.</source>
        <translation>它可以写入：{}。</translation>
    </message>
    <message>
        <source>count, extent, sums of numbers, lengths of texts, first and last row</source>
        <translation>数量、范围、数值之和、文本长度、第一行和最后一行</translation>
    </message>
    <message>
        <source>Written; the cells are the same, by their checksums.</source>
        <translation>已写入；校验和一致，像元相同。</translation>
    </message>
    <message>
        <source>Written and compared: {} features.</source>
        <translation>已写入并比较：{} 个要素。</translation>
    </message>
    <message>
        <source>The file names its CRS as &apos;{}&apos;, not as {}.</source>
        <translation>文件将其 CRS 命名为“{}”，而不是 {}。</translation>
    </message>
    <message>
        <source>Written; resampled (nearest cell) into {}.</source>
        <translation>已写入；已重采样（最邻近像元）到 {}。</translation>
    </message>
    <message>
        <source>{} has few fields of its own: others are written as extensions that few programs read</source>
        <translation>{} 自有的字段很少：其他字段作为扩展写入，能读取的程序很少</translation>
    </message>
    <message>
        <source>about {} MB</source>
        <translation>约 {} MB</translation>
    </message>
    <message>
        <source>about {} kB</source>
        <translation>约 {} kB</translation>
    </message>
    <message>
        <source>Fields left out</source>
        <translation>忽略的字段</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Geometry</source>
        <translation>几何图形</translation>
    </message>
    <message>
        <source>left out: only the table is written</source>
        <translation>已忽略：只写入表</translation>
    </message>
    <message>
        <source>Dropped from the geometry</source>
        <translation>从几何图形中去除</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>become lines with many points</source>
        <translation>变为含有许多点的线</translation>
    </message>
    <message>
        <source>Features without geometry</source>
        <translation>没有几何图形的要素</translation>
    </message>
    <message>
        <source>Types</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>a CSV holds text only: programs guess the types</source>
        <translation>CSV 只存储文本：类型由程序猜测</translation>
    </message>
    <message>
        <source>Values with letters that the encoding lacks</source>
        <translation>含有编码所缺字符的值</translation>
    </message>
    <message>
        <source>Numbers of which digits are lost</source>
        <translation>会丢失位数的数值</translation>
    </message>
    <message>
        <source>Infinite or undefined numbers</source>
        <translation>无穷大或未定义的数值</translation>
    </message>
    <message>
        <source>text (ISO 8601)</source>
        <translation>文本（ISO 8601）</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>The raster cannot be read.</source>
        <translation>无法读取栅格。</translation>
    </message>
    <message>
        <source>the cells of band {} differ: {}</source>
        <translation>波段 {} 的像元不同：{}</translation>
    </message>
    <message>
        <source>There are no rows to write.</source>
        <translation>没有要写入的行。</translation>
    </message>
    <message>
        <source>Give rows as flat objects, or a result_ref of rows.</source>
        <translation>请以扁平对象给出 rows，或给出含有行的 result_ref。</translation>
    </message>
    <message>
        <source>Flatten it, or leave the column out (columns).</source>
        <translation>请将其展平，或去掉该列（columns）。</translation>
    </message>
    <message>
        <source>The rows have no &apos;{}&apos;, or more than {} columns.</source>
        <translation>这些行没有“{}”，或超过 {} 列。</translation>
    </message>
    <message>
        <source>Columns: {}.</source>
        <translation>列：{}。</translation>
    </message>
    <message>
        <source>Row {}: &apos;{}&apos; is no plain value (text, number, true, false, null or a list of them).</source>
        <translation>第 {} 行：“{}”不是普通值（文本、数值、true、false、null 或由它们组成的列表）。</translation>
    </message>
    <message>
        <source>Check geometries</source>
        <translation>检查几何图形</translation>
    </message>
    <message>
        <source>Finds invalid geometries, duplicates, slivers, overlaps and gaps between polygons, rings against RFC 7946 and features of several parts. Each problem becomes a point; the layer is not changed.</source>
        <translation>查找无效几何图形、重复、碎屑多边形、面之间的重叠和间隙、不符合 RFC 7946 的环以及多部件要素。每个问题生成一个点；不更改图层。</translation>
    </message>
    <message>
        <source>Input layer</source>
        <translation>输入图层</translation>
    </message>
    <message>
        <source>Checks</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Mean width of slivers (metres)</source>
        <translation>碎屑多边形的平均宽度（米）</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Curvature (profile, plan, total)</source>
        <translation>曲率（剖面、平面、总曲率）</translation>
    </message>
    <message>
        <source>Curvature of a surface in 1/m by L. W. Zevenbergen and C. R. Thorne, Quantitative analysis of land surface topography (1987). Total: -2 (D + E), above 0 where the surface is convex. Profile, down the slope: below 0 where it is convex. Plan, across the slope: above 0 where it is convex. ArcGIS gives the same numbers times 100. Cells are measured in metres on the ground, also in degrees; heights are in metres times the factor. Profile and plan are 0 where it is flat. Cells at the border and beside cells without a value have none.</source>
        <translation>按 L. W. Zevenbergen 和 C. R. Thorne 的 Quantitative analysis of land surface topography (1987) 计算表面曲率，单位 1/m。总曲率：-2 (D + E)，表面凸起处大于 0。剖面曲率沿坡向下：凸起处小于 0。平面曲率横向于坡：凸起处大于 0。ArcGIS 给出的数值为其 100 倍。像元按地面米数量测，以度为单位时也是如此；高程为米乘以系数。平坦处剖面曲率和平面曲率为 0。边缘像元以及与无值像元相邻的像元没有值。</translation>
    </message>
    <message>
        <source>Curvature</source>
        <translation>曲率</translation>
    </message>
    <message>
        <source>Factor that makes heights metres (feet: 0.3048)</source>
        <translation>将高程转换为米的系数（英尺：0.3048）</translation>
    </message>
    <message>
        <source>Heights</source>
        <translation>高程</translation>
    </message>
    <message>
        <source>Cells with a value</source>
        <translation>有值的像元</translation>
    </message>
    <message>
        <source>Flat cells</source>
        <translation>平坦像元</translation>
    </message>
    <message>
        <source>The raster has fewer than 3 × 3 cells.</source>
        <translation>栅格小于 3 × 3 像元。</translation>
    </message>
    <message>
        <source>No cell has eight neighbours with a value, so there is no curvature.</source>
        <translation>没有像元的八个邻近像元都有值，因此没有曲率。</translation>
    </message>
    <message>
        <source>{} cells are flat: profile and plan curvature are 0 there.</source>
        <translation>{} 个像元平坦：其剖面曲率和平面曲率为 0。</translation>
    </message>
    <message>
        <source>Standard deviational ellipse and centres</source>
        <translation>标准差椭圆与中心</translation>
    </message>
    <message>
        <source>The spread and direction of features as an ellipse (Lefever 1926, Yuill 1971), with their mean centre and their median centre (smallest sum of distances). Measured in metres in an azimuthal equidistant plane around the middle; of lines and polygons between centroids. Fields: n, weight, center_x and center_y (degrees), major_m and minor_m (half axes, metres), azimuth of the long axis (degrees clockwise from north), area_m2. At least 3 features a group are needed.</source>
        <translation>以椭圆（Lefever 1926，Yuill 1971）表示要素的分布范围和方向，并给出平均中心和中位数中心（距离之和最小）。在以中间位置为中心的等距方位平面中按米量测；线和面取质心。字段：n、weight、center_x 和 center_y（度）、major_m 和 minor_m（半轴，米）、长轴的 azimuth（从正北顺时针的度数）、area_m2。每组至少需要 3 个要素。</translation>
    </message>
    <message>
        <source>Weight field</source>
        <translation>权重字段</translation>
    </message>
    <message>
        <source>Group field: an ellipse for each value</source>
        <translation>分组字段：每个值一个椭圆</translation>
    </message>
    <message>
        <source>Standard deviations</source>
        <translation>标准差倍数</translation>
    </message>
    <message>
        <source>Size of the half axes</source>
        <translation>半轴的大小</translation>
    </message>
    <message>
        <source>Mean and median centres</source>
        <translation>平均中心和中位数中心</translation>
    </message>
    <message>
        <source>Standard deviations along the axes</source>
        <translation>沿各轴的标准差</translation>
    </message>
    <message>
        <source>√2 times as large: 1 holds about 63 % of a normal distribution (as ArcGIS)</source>
        <translation>为其 √2 倍：1 倍约包含正态分布的 63 %（同 ArcGIS）</translation>
    </message>
    <message>
        <source>√2 times as large, n - 2 (as CrimeStat)</source>
        <translation>为其 √2 倍，n - 2（同 CrimeStat）</translation>
    </message>
    <message>
        <source>A weight is negative; weights must be 0 or more.</source>
        <translation>有权重为负；权重必须为 0 或更大。</translation>
    </message>
    <message>
        <source>The features lie all around the earth: they have no middle.</source>
        <translation>要素遍布地球各处：没有中间位置。</translation>
    </message>
    <message>
        <source>Ellipses</source>
        <translation>椭圆</translation>
    </message>
    <message>
        <source>Features left out</source>
        <translation>忽略的要素</translation>
    </message>
    <message>
        <source>The features lie farther apart than half the earth: no plane can show them.</source>
        <translation>要素之间相距超过半个地球：没有平面可以表示它们。</translation>
    </message>
    <message>
        <source>The ellipse does not fit on the earth.</source>
        <translation>椭圆超出地球范围。</translation>
    </message>
    <message>
        <source>{} features have a weight of 0 and are left out.</source>
        <translation>{} 个要素的权重为 0，已忽略。</translation>
    </message>
    <message>
        <source>No group has {} features that do not lie in one line.</source>
        <translation>没有任何组有 {} 个不共线的要素。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has {} values; at most {} groups are made.</source>
        <translation>“{}”有 {} 个值；最多生成 {} 组。</translation>
    </message>
    <message>
        <source>{} groups have no ellipse: fewer than {} features, or all of them in one line.</source>
        <translation>{} 组没有椭圆：少于 {} 个要素，或全部位于一条直线上。</translation>
    </message>
    <message>
        <source>The farthest feature is {:.0f} km from the centre: across, distances are up to {:.2g} % too long.</source>
        <translation>最远的要素距中心 {:.0f} km：横向距离最多偏长 {:.2g} %。</translation>
    </message>
    <message>
        <source>The ellipse has no place in the CRS of the layer.</source>
        <translation>椭圆在图层的 CRS 中没有位置。</translation>
    </message>
    <message>
        <source>Focal statistics (moving window)</source>
        <translation>邻域统计（移动窗口）</translation>
    </message>
    <message>
        <source>A statistic of the cells around each cell, in a square or a circle whose radius is a number of cells (3 × 3 cells: radius 1). Cells without a value are left out, and windows are cut at the border. A circle holds the cells whose centre is not farther away than the radius. Standard deviation: of all cells of the window (n). Majority: the most frequent value, of several the smallest. Median and majority: radius 15 at most.</source>
        <translation>计算每个像元周围像元的统计量，窗口为方形或圆形，半径以像元数表示（3 × 3 像元：半径 1）。没有值的像元不计入，窗口在边缘处截断。圆形包含中心距离不大于半径的像元。标准差：按窗口内所有像元（n）。众数：出现最多的值，有多个时取最小值。中位数和众数：半径最大 15。</translation>
    </message>
    <message>
        <source>Statistic</source>
        <translation>统计量</translation>
    </message>
    <message>
        <source>Radius of the window (cells)</source>
        <translation>窗口半径（像元）</translation>
    </message>
    <message>
        <source>Shape of the window</source>
        <translation>窗口形状</translation>
    </message>
    <message>
        <source>Also give a value to cells that have none themselves</source>
        <translation>也为自身没有值的像元赋值</translation>
    </message>
    <message>
        <source>Raster</source>
        <translation>栅格</translation>
    </message>
    <message>
        <source>Square</source>
        <translation>方形</translation>
    </message>
    <message>
        <source>Circle</source>
        <translation>圆形</translation>
    </message>
    <message>
        <source>Focal statistics</source>
        <translation>邻域统计</translation>
    </message>
    <message>
        <source>For {} the radius is {} cells at most.</source>
        <translation>{} 的半径最大为 {} 个像元。</translation>
    </message>
    <message>
        <source>{} cells have no value; windows leave them out.</source>
        <translation>{} 个像元没有值；窗口不计入它们。</translation>
    </message>
    <message>
        <source>Geodesic circles around points</source>
        <translation>点周围的测地圆</translation>
    </message>
    <message>
        <source>Circles by metres on the WGS 84 ellipsoid around points, whatever the layer&apos;s CRS is, or rings between two distances. With 12 or more segments the radius is within 0.35 % of the geodesic distance. Circles that cross 180° are cut there.</source>
        <translation>按 WGS 84 椭球面上的米数在点周围生成圆，或两个距离之间的圆环，与图层的 CRS 无关。分段数不少于 12 时，半径与测地距离之差不超过 0.35 %。跨越 180° 的圆在该处断开。</translation>
    </message>
    <message>
        <source>A point or its circle has no place in the layer&apos;s CRS.</source>
        <translation>有一个点或其圆在图层的 CRS 中没有位置。</translation>
    </message>
    <message>
        <source>Points</source>
        <translation>点</translation>
    </message>
    <message>
        <source>Inner distance (metres), 0 for a full circle</source>
        <translation>内侧距离（米），0 表示完整的圆</translation>
    </message>
    <message>
        <source>Circles</source>
        <translation>圆</translation>
    </message>
    <message>
        <source>The inner distance must be less than the distance.</source>
        <translation>内侧距离必须小于距离。</translation>
    </message>
    <message>
        <source>The point of feature {} has no place on earth.</source>
        <translation>要素 {} 的点不在地球上。</translation>
    </message>
    <message>
        <source>Hot spots (Getis-Ord Gi*)</source>
        <translation>热点分析 (Getis-Ord Gi*)</translation>
    </message>
    <message>
        <source>Finds clusters of high values (hot spots) and of low values (cold spots) of a number field: Gi* by Ord and Getis (1995), each feature with its neighbours, weights 1. Distances are metres on the WGS 84 ellipsoid, of lines and polygons between centroids. Fields: gi_z (standard deviations), gi_p (two-sided), gi_class (3, 2, 1: hot with 99, 95, 90 % confidence; -3, -2, -1: cold; 0: neither), gi_nbrs (number of neighbours). NULL: no value or no neighbour.</source>
        <translation>查找数值字段的高值聚集（热点）和低值聚集（冷点）：Ord 和 Getis (1995) 的 Gi*，每个要素及其邻近要素，权重 1。距离为 WGS 84 椭球面上的米数，线和面取质心之间的距离。字段：gi_z（标准差倍数）、gi_p（双侧）、gi_class（3、2、1：置信度 99、95、90 % 的热点；-3、-2、-1：冷点；0：两者都不是）、gi_nbrs（邻近要素数）。NULL：没有值或没有邻近要素。</translation>
    </message>
    <message>
        <source>Correct the classes for many tests (false discovery rate)</source>
        <translation>按多重检验校正分级（错误发现率）</translation>
    </message>
    <message>
        <source>Hot spots (95 % or more)</source>
        <translation>热点（95 % 及以上）</translation>
    </message>
    <message>
        <source>Cold spots (95 % or more)</source>
        <translation>冷点（95 % 及以上）</translation>
    </message>
    <message>
        <source>Hot spots</source>
        <translation>热点</translation>
    </message>
    <message>
        <source>Gi* by Ord and Getis (1995), weights 1, itself included; {}</source>
        <translation>Ord 和 Getis (1995) 的 Gi*，权重 1，包含自身；{}</translation>
    </message>
    <message>
        <source>{} features have all others as neighbours: Gi* has no value there. Use fewer neighbours.</source>
        <translation>{} 个要素以所有其他要素为邻近要素：其 Gi* 没有值。请减少邻近要素。</translation>
    </message>
    <message>
        <source>Join by location, with counts</source>
        <translation>按位置连接（带计数）</translation>
    </message>
    <message>
        <source>Adds fields of the features that lie at the same place. Rows keep their order; of several partners the one with the lowest id is first. It tells how many features have no partner, one, or several. Where both layers are tables of one PostGIS database, the database finds the pairs.</source>
        <translation>添加位于同一位置的要素的字段。行保持原有顺序；有多个匹配时，id 最小的排在最前。会给出没有匹配、有一个匹配和有多个匹配的要素数。两个图层都是同一 PostGIS 数据库中的表时，由数据库查找匹配。</translation>
    </message>
    <message>
        <source>The input … the layer to join</source>
        <translation>输入图层 … 要连接的图层</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Numbers of a summary</source>
        <translation>汇总的统计量</translation>
    </message>
    <message>
        <source>What found the pairs</source>
        <translation>查找匹配的引擎</translation>
    </message>
    <message>
        <source>Join by value, NULL never matches</source>
        <translation>按值连接（NULL 不匹配）</translation>
    </message>
    <message>
        <source>Adds fields of the rows that have the same key. NULL and empty text are no keys. Numbers and texts are compared as they are usually written; the rule says whether spaces, case and leading zeros count.</source>
        <translation>添加键相同的行的字段。NULL 和空文本不是键。数值和文本按其通常写法比较；规则决定是否计较空格、大小写和前导零。</translation>
    </message>
    <message>
        <source>How keys are compared</source>
        <translation>键的比较方式</translation>
    </message>
    <message>
        <source>Key field of the input</source>
        <translation>输入图层的键字段</translation>
    </message>
    <message>
        <source>Key field of the layer to join</source>
        <translation>要连接图层的键字段</translation>
    </message>
    <message>
        <source>Leave out features without a partner</source>
        <translation>忽略没有匹配的要素</translation>
    </message>
    <message>
        <source>Prefix of the added fields</source>
        <translation>所添加字段的前缀</translation>
    </message>
    <message>
        <source>Layer to join</source>
        <translation>要连接的图层</translation>
    </message>
    <message>
        <source>Joined</source>
        <translation>连接结果</translation>
    </message>
    <message>
        <source>An input layer cannot be read.</source>
        <translation>无法读取输入图层。</translation>
    </message>
    <message>
        <source>Least-cost path over a raster</source>
        <translation>栅格最小成本路径</translation>
    </message>
    <message>
        <source>The way from start to end with the least accumulated cost (E. W. Dijkstra 1959). The raster holds the cost of one metre; from a cell one goes to its eight neighbours, for the mean cost of both times the metres between their centres (√2 across). Cells without a value are barriers. Fields: cost, length_m (metres), cells. The line goes through the centres of cells. The raster of accumulated costs from the start is made where it is wanted.</source>
        <translation>从起点到终点累积成本最小的路径（E. W. Dijkstra 1959）。栅格为每米的成本；从一个像元可走向八个邻近像元，成本为两者的平均成本乘以中心之间的米数（对角为 √2）。没有值的像元为障碍。字段：cost、length_m（米）、cells。线经过像元的中心。需要时生成从起点起的累积成本栅格。</translation>
    </message>
    <message>
        <source>Least-cost path</source>
        <translation>最小成本路径</translation>
    </message>
    <message>
        <source>Accumulated cost</source>
        <translation>累积成本</translation>
    </message>
    <message>
        <source>Cost of one metre</source>
        <translation>每米成本</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>End</source>
        <translation>终点</translation>
    </message>
    <message>
        <source>Accumulated cost of the way</source>
        <translation>路径的累积成本</translation>
    </message>
    <message>
        <source>Length (metres)</source>
        <translation>长度（米）</translation>
    </message>
    <message>
        <source>Cells of the way</source>
        <translation>路径的像元数</translation>
    </message>
    <message>
        <source>There is no way from start to end: cells without a value lie between them.</source>
        <translation>起点与终点之间没有路径：中间有没有值的像元。</translation>
    </message>
    <message>
        <source>start</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>end</source>
        <translation>终点</translation>
    </message>
    <message>
        <source>The place {:.8g}, {:.8g} (in the raster&apos;s CRS) lies outside of the raster.</source>
        <translation>位置 {:.8g}, {:.8g}（栅格的 CRS 中）在栅格之外。</translation>
    </message>
    <message>
        <source>{} cells cannot be reached from the start.</source>
        <translation>{} 个像元无法从起点到达。</translation>
    </message>
    <message>
        <source>A cost is negative ({:.6g}); costs must be 0 or more.</source>
        <translation>有成本为负（{:.6g}）；成本必须为 0 或更大。</translation>
    </message>
    <message>
        <source>The {} lies on a cell without a value, which is a barrier.</source>
        <translation>{}位于没有值的像元上，该像元为障碍。</translation>
    </message>
    <message>
        <source>Permutations</source>
        <translation>置换次数</translation>
    </message>
    <message>
        <source>Seed of the permutations</source>
        <translation>置换的随机种子</translation>
    </message>
    <message>
        <source>Spatial autocorrelation (global Moran&apos;s I)</source>
        <translation>空间自相关（全局莫兰指数）</translation>
    </message>
    <message>
        <source>Says whether near features have similar values (I above its expectation) or unlike ones (below): Moran&apos;s I with row-standardised weights; z and two-sided p under randomisation (Cliff and Ord 1981), and a one-sided pseudo p of permutations. Distances are metres on the WGS 84 ellipsoid, of lines and polygons between centroids. The result is a table of one row.</source>
        <translation>判断邻近要素的值是否相似（I 高于期望值）或相异（低于期望值）：采用行标准化权重的莫兰指数；随机化假设下的 z 和双侧 p（Cliff 和 Ord 1981），以及置换的单侧伪 p。距离为 WGS 84 椭球面上的米数，线和面取质心之间的距离。结果为一行的表。</translation>
    </message>
    <message>
        <source>Clusters and outliers (local Moran&apos;s I, LISA)</source>
        <translation>聚类与异常值（局部莫兰指数，LISA）</translation>
    </message>
    <message>
        <source>Finds clusters and outliers of a number field: local Moran&apos;s I (Anselin 1995), row-standardised weights. Distances are metres on the WGS 84 ellipsoid, of lines and polygons between centroids. Fields: lm_i; lm_z by its exact conditional moments (Sokal et al. 1998); lm_p, one-sided pseudo p of conditional permutations; lm_quad (1 high among high, 2 low among high, 3 low among low, 4 high among low); lm_type (HH, LH, LL, HL, or ns for not significant); lm_nbrs. NULL: no value or no neighbour.</source>
        <translation>查找数值字段的聚类和异常值：局部莫兰指数（Anselin 1995），行标准化权重。距离为 WGS 84 椭球面上的米数，线和面取质心之间的距离。字段：lm_i；lm_z，按精确条件矩（Sokal 等 1998）；lm_p，条件置换的单侧伪 p；lm_quad（1 高值被高值包围，2 低值被高值包围，3 低值被低值包围，4 高值被低值包围）；lm_type（HH、LH、LL、HL，ns 表示不显著）；lm_nbrs。NULL：没有值或没有邻近要素。</translation>
    </message>
    <message>
        <source>Level of significance (p)</source>
        <translation>显著性水平（p）</translation>
    </message>
    <message>
        <source>Features of the type {}</source>
        <translation>类型为 {} 的要素</translation>
    </message>
    <message>
        <source>Moran&apos;s I</source>
        <translation>莫兰指数</translation>
    </message>
    <message>
        <source>Clusters and outliers</source>
        <translation>聚类与异常值</translation>
    </message>
    <message>
        <source>Expectation of I</source>
        <translation>I 的期望值</translation>
    </message>
    <message>
        <source>Variance of I under randomisation</source>
        <translation>随机化假设下 I 的方差</translation>
    </message>
    <message>
        <source>p (two-sided)</source>
        <translation>p（双侧）</translation>
    </message>
    <message>
        <source>pseudo p of the permutations (one-sided)</source>
        <translation>置换的伪 p（单侧）</translation>
    </message>
    <message>
        <source>Moran&apos;s I, row-standardised weights, z under randomisation (Cliff and Ord 1981); {}</source>
        <translation>莫兰指数，行标准化权重，随机化假设下的 z（Cliff 和 Ord 1981）；{}</translation>
    </message>
    <message>
        <source>local Moran&apos;s I (Anselin 1995), row-standardised weights, {} conditional permutations; {}</source>
        <translation>局部莫兰指数（Anselin 1995），行标准化权重，{} 次条件置换；{}</translation>
    </message>
    <message>
        <source>Nearest features on the ground</source>
        <translation>地面距离最近的要素</translation>
    </message>
    <message>
        <source>Finds the nearest features of another layer (or of the same one) in metres on the WGS 84 ellipsoid, whatever the CRSs are and across 180°. 0 neighbours means all within the largest distance.</source>
        <translation>按 WGS 84 椭球面上的米数查找另一图层（或同一图层）中最近的要素，与 CRS 无关，也可跨越 180°。邻近要素数为 0 表示最大距离内的全部要素。</translation>
    </message>
    <message>
        <source>Neighbours (0: all within the distance)</source>
        <translation>邻近要素数（0：距离内的全部）</translation>
    </message>
    <message>
        <source>Largest distance (metres)</source>
        <translation>最大距离（米）</translation>
    </message>
    <message>
        <source>Lines to the neighbours</source>
        <translation>连到邻近要素的线</translation>
    </message>
    <message>
        <source>How distances were measured</source>
        <translation>距离的量测方式</translation>
    </message>
    <message>
        <source>Points in polygons</source>
        <translation>面内点</translation>
    </message>
    <message>
        <source>Counts the points inside each polygon and aggregates number fields of the points (sum, mean, min, max; NULL is left out). Points exactly on a border are in no polygon. No spatial index is needed.</source>
        <translation>统计每个面内的点数，并汇总点的数值字段（sum、mean、min、max；NULL 不计入）。正好位于边界上的点不属于任何面。不需要空间索引。</translation>
    </message>
    <message>
        <source>Aggregates</source>
        <translation>汇总</translation>
    </message>
    <message>
        <source>field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>new field</source>
        <translation>新字段</translation>
    </message>
    <message>
        <source>Polygons</source>
        <translation>面</translation>
    </message>
    <message>
        <source>Count field</source>
        <translation>计数字段</translation>
    </message>
    <message>
        <source>Counted</source>
        <translation>计数结果</translation>
    </message>
    <message>
        <source>A layer cannot be read.</source>
        <translation>无法读取图层。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; of &apos;{}&apos; cannot be computed: no number field, or no such function.</source>
        <translation>无法计算“{1}”的“{0}”：不是数值字段，或没有此函数。</translation>
    </message>
    <message>
        <source>A point has no place in the CRS of the polygons ({}).</source>
        <translation>有一个点在面的 CRS（{}）中没有位置。</translation>
    </message>
    <message>
        <source>Point {} was counted wrongly: GEOS finds the opposite.</source>
        <translation>点 {} 计数错误：GEOS 的结果相反。</translation>
    </message>
    <message>
        <source>Band</source>
        <translation>波段</translation>
    </message>
    <message>
        <source>The raster has no CRS, so metres are unknown. Give it its CRS first.</source>
        <translation>栅格没有 CRS，因此无法得知米数。请先为其指定 CRS。</translation>
    </message>
    <message>
        <source>The algorithm was not prepared.</source>
        <translation>算法尚未准备好。</translation>
    </message>
    <message>
        <source>The grid of a raster is turned against its CRS.</source>
        <translation>栅格的格网相对其 CRS 有旋转。</translation>
    </message>
    <message>
        <source>The raster has no place on earth, so metres are unknown.</source>
        <translation>栅格不在地球上，因此无法得知米数。</translation>
    </message>
    <message>
        <source>The result cannot be written: {}</source>
        <translation>无法写入结果：{}</translation>
    </message>
    <message>
        <source>The raster has {:.3g} cells; at most {:.3g} are worked on. Clip it, or make its cells larger.</source>
        <translation>栅格有 {:.3g} 个像元；最多处理 {:.3g} 个。请裁剪栅格，或增大像元。</translation>
    </message>
    <message>
        <source>Cells are measured on the WGS 84 ellipsoid, row by row: {:.6g} × {:.6g} m in the middle.</source>
        <translation>像元按 WGS 84 椭球面逐行量测：中间为 {:.6g} × {:.6g} m。</translation>
    </message>
    <message>
        <source>Raster formula (counts its cells)</source>
        <translation>栅格公式（统计像元）</translation>
    </message>
    <message>
        <source>A formula over rasters of one CRS, which are A, B, … in their order. The result has the cells of the first; others are read at the centres of these. A cell has no value where an input has none, or where the formula has none.</source>
        <translation>对同一 CRS 的栅格计算公式，栅格依次为 A、B、…。结果采用第一个栅格的像元；其他栅格在这些像元的中心处读取。任一输入没有值或公式没有值时，像元没有值。</translation>
    </message>
    <message>
        <source>The bands are not one number for each raster.</source>
        <translation>波段应为每个栅格一个编号。</translation>
    </message>
    <message>
        <source>Rasters (A, B, …)</source>
        <translation>栅格（A、B、…）</translation>
    </message>
    <message>
        <source>Their bands, separated by commas</source>
        <translation>各栅格的波段，以逗号分隔</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Type of the numbers</source>
        <translation>数值类型</translation>
    </message>
    <message>
        <source>Calculated</source>
        <translation>计算结果</translation>
    </message>
    <message>
        <source>Cells inside all rasters</source>
        <translation>位于所有栅格内的像元</translation>
    </message>
    <message>
        <source>Cells where the formula has no value</source>
        <translation>公式没有值的像元</translation>
    </message>
    <message>
        <source>The rasters have different CRSs.</source>
        <translation>这些栅格的 CRS 不同。</translation>
    </message>
    <message>
        <source>A feature has no place on earth in the layer&apos;s CRS.</source>
        <translation>有一个要素在图层的 CRS 中不在地球上。</translation>
    </message>
    <message>
        <source>Only {} features have a place and a value; at least {} are needed.</source>
        <translation>只有 {} 个要素有位置和值；至少需要 {} 个。</translation>
    </message>
    <message>
        <source>{} features have no geometry and are left out.</source>
        <translation>{} 个要素没有几何图形，已忽略。</translation>
    </message>
    <message>
        <source>Spatial statistics</source>
        <translation>空间统计</translation>
    </message>
    <message>
        <source>Who is a neighbour</source>
        <translation>邻近要素的确定方式</translation>
    </message>
    <message>
        <source>Distance (metres); 0: the smallest at which every feature has a neighbour</source>
        <translation>距离（米）；0：使每个要素都有邻近要素的最小距离</translation>
    </message>
    <message>
        <source>Number of nearest neighbours</source>
        <translation>最邻近要素的数量</translation>
    </message>
    <message>
        <source>distances on the WGS 84 ellipsoid (chord bent to the arc), between centroids</source>
        <translation>WGS 84 椭球面上质心之间的距离（弦长换算为弧长）</translation>
    </message>
    <message>
        <source>This algorithm computes nothing.</source>
        <translation>此算法不计算任何内容。</translation>
    </message>
    <message>
        <source>Within a distance</source>
        <translation>一定距离内</translation>
    </message>
    <message>
        <source>The nearest ones</source>
        <translation>最邻近的要素</translation>
    </message>
    <message>
        <source>The layer has no CRS, so metres are unknown. Give it its CRS first.</source>
        <translation>图层没有 CRS，因此无法得知米数。请先为其指定 CRS。</translation>
    </message>
    <message>
        <source>Number field</source>
        <translation>数值字段</translation>
    </message>
    <message>
        <source>Features used</source>
        <translation>使用的要素</translation>
    </message>
    <message>
        <source>Features without a neighbour</source>
        <translation>没有邻近要素的要素</translation>
    </message>
    <message>
        <source>Mean number of neighbours</source>
        <translation>邻近要素的平均数量</translation>
    </message>
    <message>
        <source>All features lie at the same place.</source>
        <translation>所有要素位于同一位置。</translation>
    </message>
    <message>
        <source>All values of &apos;{}&apos; are equal ({:.10g}): there is no pattern to look for.</source>
        <translation>“{}”的所有值都相等（{:.10g}）：没有可查找的模式。</translation>
    </message>
    <message>
        <source>Distance: {:.10g} m, so that every feature has a neighbour.</source>
        <translation>距离：{:.10g} m，使每个要素都有邻近要素。</translation>
    </message>
    <message>
        <source>No feature has a neighbour within {:.10g} m. Use a longer distance.</source>
        <translation>{:.10g} m 内没有要素有邻近要素。请使用更长的距离。</translation>
    </message>
    <message>
        <source>{} features have no neighbour within {:.10g} m: nothing can be said of them.</source>
        <translation>{} 个要素在 {:.10g} m 内没有邻近要素：无法得出结论。</translation>
    </message>
    <message>
        <source>The field &apos;{}&apos; is replaced.</source>
        <translation>字段“{}”已被替换。</translation>
    </message>
    <message>
        <source>There are too many pairs of neighbours ({} or more) for the memory. Use a shorter distance or fewer neighbours, or join features that lie at the same place first.</source>
        <translation>邻近要素对太多（{} 或更多），内存不足。请使用更短的距离或更少的邻近要素，或先合并位于同一位置的要素。</translation>
    </message>
    <message>
        <source>There are only {} features: all of them are neighbours.</source>
        <translation>只有 {} 个要素：它们全部互为邻近要素。</translation>
    </message>
    <message>
        <source>Whole numbers above 9007199254740992 are not exact to the last digit in: {}.</source>
        <translation>超过 9007199254740992 的整数在这些字段中末位不精确：{}。</translation>
    </message>
    <message>
        <source>it could make too much (a replacement, a list or vertices multiplied again)</source>
        <translation>结果可能过大（多次替换、列表或顶点成倍增加）</translation>
    </message>
    <message>
        <source>Compute it in several steps, or with smaller numbers.</source>
        <translation>请分几步计算，或用较小的数。</translation>
    </message>
    <message>
        <source>For example &apos;EPSG:4326&apos;.</source>
        <translation>例如 &apos;EPSG:4326&apos;。</translation>
    </message>
    <message>
        <source>Give a plain number of at least {:.15g}.</source>
        <translation>请给出不小于 {:.15g} 的普通数字。</translation>
    </message>
    <message>
        <source>the CRSs of {}() are given by their ids</source>
        <translation>{}() 的 CRS 要用其代号给出</translation>
    </message>
    <message>
        <source>Types: integer, long, number, text, boolean, date, time, datetime.</source>
        <translation>类型：integer、long、number、text、boolean、date、time、datetime。</translation>
    </message>
    <message>
        <source>{} is no type of field.</source>
        <translation>{} 不是字段类型。</translation>
    </message>
    <message>
        <source>it has too many terms</source>
        <translation>项太多</translation>
    </message>
    <message>
        <source>Preparing the bookmark {name}</source>
        <translation>正在准备书签 {name}</translation>
    </message>
    <message>
        <source>Preparing an edit of {layer_id}</source>
        <translation>正在准备编辑 {layer_id}</translation>
    </message>
    <message>
        <source>Preparing the table {path}</source>
        <translation>正在准备表格 {path}</translation>
    </message>
    <message>
        <source>Preparing to remove layers</source>
        <translation>正在准备移除图层</translation>
    </message>
    <message>
        <source>Preparing to save the project</source>
        <translation>正在准备保存工程</translation>
    </message>
    <message>
        <source>Prepared the bookmark {name}</source>
        <translation>已准备书签 {name}</translation>
    </message>
    <message>
        <source>Prepared an edit of {layer_id}</source>
        <translation>已准备编辑 {layer_id}</translation>
    </message>
    <message>
        <source>Prepared the table {path}</source>
        <translation>已准备表格 {path}</translation>
    </message>
    <message>
        <source>Prepared to remove layers</source>
        <translation>已准备移除图层</translation>
    </message>
    <message>
        <source>Prepared to save the project</source>
        <translation>已准备保存工程</translation>
    </message>
    <message>
        <source>Split them at 180° first, or leave them out (where).</source>
        <translation>请先在 180° 处将其分割，或用 where 排除。</translation>
    </message>
    <message>
        <source>{} features jump across 180°: new vertices would run the long way round the earth.</source>
        <translation>{} 个要素跨越 180°：新顶点会沿长的一侧绕地球。</translation>
    </message>
    <message>
        <source>Values are rounded to 7 digits (float32); options.data_type float64 keeps 15.</source>
        <translation>数值舍入到 7 位有效数字（float32）；options.data_type 为 float64 时保留 15 位。</translation>
    </message>
    <message>
        <source>Name the bands of the layers that you give.</source>
        <translation>请写明所给图层的波段。</translation>
    </message>
    <message>
        <source>there is no raster &apos;{}&apos;</source>
        <translation>没有栅格“{}”</translation>
    </message>
    <message>
        <source>The layer is large: in the plane that was taken distances are off by up to {:.1%}.</source>
        <translation>图层范围很大：在所取的平面中距离误差可达 {:.1%}。</translation>
    </message>
    <message>
        <source>The borders are not halfway on the ground; cells end at ±180/±90 degrees.</source>
        <translation>边界并不在地面上的正中；单元止于 ±180/±90 度。</translation>
    </message>
    <message>
        <source>{} has coordinates that no place has (no numbers, or beyond {:.0e}).</source>
        <translation>{} 中有不可能的坐标（不是数字，或超过 {:.0e}）。</translation>
    </message>
    <message>
        <source>{} reaches beyond ±360/±90 degrees, where there is no place: check distances and CRS.</source>
        <translation>{} 超出了 ±360/±90 度，那里没有任何地方：请检查距离和 CRS。</translation>
    </message>
    <message>
        <source>{}: None of the {} features has a geometry.</source>
        <translation>{}：{} 个要素都没有几何。</translation>
    </message>
    <message>
        <source>{}: {} is NULL in all {} features.</source>
        <translation>{}：{} 在全部 {} 个要素中都是 NULL。</translation>
    </message>
    <message>
        <source>At most {:.6g}.</source>
        <translation>最多 {:.6g}。</translation>
    </message>
    <message>
        <source>At least {:.4g}, or a smaller area.</source>
        <translation>至少 {:.4g}，或更小的范围。</translation>
    </message>
    <message>
        <source>{} of {:.6g} would make too much for the memory or the disk.</source>
        <translation>{}（{:.6g}）会产生过多数据，内存或磁盘容纳不下。</translation>
    </message>
    <message>
        <source>Use a smaller area, larger cells or fewer features.</source>
        <translation>请用较小的范围、较大的像元或较少的要素。</translation>
    </message>
    <message>
        <source>the disk for temporary files is nearly full</source>
        <translation>存放临时文件的磁盘快满了</translation>
    </message>
    <message>
        <source>the memory is nearly full</source>
        <translation>内存快用完了</translation>
    </message>
    <message>
        <source>It was stopped: {}.</source>
        <translation>已停止：{}。</translation>
    </message>
    <message>
        <source>The check of this call broke; the log (tab QGIS Agent) has the details.</source>
        <translation>此调用的检查出错；详见日志（QGIS Agent 选项卡）。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Don&apos;t save</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>修改</translation>
    </message>
    <message>
        <source>Don&apos;t change</source>
        <translation>不修改</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Don&apos;t add</source>
        <translation>不添加</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Don&apos;t delete</source>
        <translation>不删除</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Don&apos;t remove</source>
        <translation>不移除</translation>
    </message>
    <message>
        <source>Put back</source>
        <translation>放回</translation>
    </message>
    <message>
        <source>Don&apos;t put back</source>
        <translation>不放回</translation>
    </message>
    <message>
        <source>{} fields</source>
        <translation>{} 字段</translation>
    </message>
    <message>
        <source>{} repaired</source>
        <translation>{} 修复</translation>
    </message>
    <message>
        <source>{} problems</source>
        <translation>{} 问题</translation>
    </message>
    <message>
        <source>{} with {}</source>
        <translation>{} 与 {}</translation>
    </message>
    <message>
        <source>{} nearest {}</source>
        <translation>{} 最近的 {}</translation>
    </message>
    <message>
        <source>{} dissolved</source>
        <translation>{} 融合</translation>
    </message>
    <message>
        <source>{} grouped</source>
        <translation>{} 分组</translation>
    </message>
    <message>
        <source>{} by {}</source>
        <translation>{} 按 {}</translation>
    </message>
    <message>
        <source>{} raster {:.10g} m</source>
        <translation>{} 栅格 {:.10g} m</translation>
    </message>
    <message>
        <source>{} heatmap {:.10g} m</source>
        <translation>{} 热力图 {:.10g} m</translation>
    </message>
    <message>
        <source>{} per {}</source>
        <translation>{} 按 {} 统计</translation>
    </message>
    <message>
        <source>{} buffer {} m{}</source>
        <translation>{} 缓冲区 {} m{}</translation>
    </message>
    <message>
        <source>a place cannot be converted into {}</source>
        <translation>有一处无法转换到 {}</translation>
    </message>
    <message>
        <source>Numbers cut to the decimals of their field</source>
        <translation>数字按其字段的小数位截断</translation>
    </message>
    <message>
        <source>{} decimals of a degree (about 0.1 mm)</source>
        <translation>{} 位小数的度（约 0.1 毫米）</translation>
    </message>
    <message>
        <source>Coordinates</source>
        <translation>坐标</translation>
    </message>
    <message>
        <source>QGIS cannot interrupt this. Its result will not be used.</source>
        <translation>QGIS 无法中断它，其结果不会被采用。</translation>
    </message>
    <message>
        <source>Still stopping: {steps}</source>
        <translation>仍在停止：{steps}</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent} %</translation>
    </message>
    <message>
        <source>QGIS will not answer for a moment.</source>
        <translation>QGIS 将暂时没有响应。</translation>
    </message>
    <message>
        <source>{} of {} features of &apos;{}&apos; have coordinates that are no degrees: id {}, at ({:g}, {:g}).</source>
        <translation>{1} 个要素中有 {0} 个（图层“{2}”）的坐标不是度数：id {3}，位于（{4:g}, {5:g}）。</translation>
    </message>
    <message>
        <source>Leave them out with where (a condition on their fields; query_features shows them), or ask for them to be put right.</source>
        <translation>请用 where 将其排除（对其字段设条件；query_features 可显示它们），或请人改正。</translation>
    </message>
    <message>
        <source>The text of &apos;{}&apos; is read as {}, but its bytes look like {}.</source>
        <translation>“{}”的文字按 {} 读取，但其字节看起来像 {}。</translation>
    </message>
    <message>
        <source>Use set_layer_encoding with {} first; then edit.</source>
        <translation>请先用 set_layer_encoding 设为 {}，再编辑。</translation>
    </message>
    <message>
        <source>Values that become NULL</source>
        <translation>将变为 NULL 的值</translation>
    </message>
    <message>
        <source>No feature has two different places.</source>
        <translation>没有一个要素有两个不同的位置。</translation>
    </message>
    <message>
        <source>{} features have no two different places and are left out.</source>
        <translation>{} 个要素没有两个不同的位置，已排除。</translation>
    </message>
    <message>
        <source>Looking at the encoding</source>
        <translation>正在查看编码</translation>
    </message>
    <message>
        <source>{} of {} fields were written.</source>
        <translation>写入了 {1} 个字段中的 {0} 个。</translation>
    </message>
    <message>
        <source>rounded to about 0.1 m, as MapInfo keeps them</source>
        <translation>舍入到约 0.1 米，这是 MapInfo 保存的精度</translation>
    </message>
    <message>
        <source>NULL becomes 0 (MapInfo has no NULL numbers)</source>
        <translation>NULL 变为 0（MapInfo 没有 NULL 数字）</translation>
    </message>
    <message>
        <source>What &apos;{}&apos; changes in files, databases or other programs cannot be undone.</source>
        <translation>“{}”在文件、数据库或其他程序中所作的更改无法撤销。</translation>
    </message>
    <message>
        <source>The audit log cannot be written: {}</source>
        <translation>无法写入审计日志：{}</translation>
    </message>
    <message>
        <source>Do not try again; use another layer (search_layers names those in scope).</source>
        <translation>请勿再试；请改用其他图层（search_layers 会列出可见范围内的图层）。</translation>
    </message>
    <message>
        <source>Feature</source>
        <translation>要素</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>Shape now → after</source>
        <translation>形状：当前 → 更改后</translation>
    </message>
    <message>
        <source>What is added</source>
        <translation>添加的内容</translation>
    </message>
    <message>
        <source>What is deleted</source>
        <translation>删除的内容</translation>
    </message>
    <message>
        <source>{} features, the first {} with what they hold</source>
        <translation>{} 个要素，列出前 {} 个及其内容</translation>
    </message>
    <message>
        <source>the density of the points</source>
        <translation>点的密度</translation>
    </message>
    <message>
        <source>{} classes by {}; their limits come from the data</source>
        <translation>{} 类，按 {} 分级；分级界限由数据得出</translation>
    </message>
    <message>
        <source>not known before it is done</source>
        <translation>执行前无法得知</translation>
    </message>
    <message>
        <source>and {} more</source>
        <translation>另有 {} 个</translation>
    </message>
    <message>
        <source>a colour for each value of {}</source>
        <translation>{} 的每个值一种颜色</translation>
    </message>
    <message>
        <source>the same signs; see the arguments below</source>
        <translation>符号不变；见下方参数</translation>
    </message>
    <message>
        <source>Undo removes the layer again; that the server was asked cannot be taken back.</source>
        <translation>撤销会移除该图层；但已向服务器发出的请求无法撤回。</translation>
    </message>
    <message>
        <source>Kept answers are for this step in this project only.</source>
        <translation>保留的答复仅适用于此工程中的这一步骤。</translation>
    </message>
    <message>
        <source>the agent in this panel</source>
        <translation>此面板中的智能体</translation>
    </message>
    <message>
        <source>a helper of the agent in this panel</source>
        <translation>此面板中智能体的助手</translation>
    </message>
    <message>
        <source>another program, over MCP</source>
        <translation>其他程序，通过 MCP</translation>
    </message>
    <message>
        <source>the command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>a Processing algorithm</source>
        <translation>某个处理算法</translation>
    </message>
    <message>
        <source>Kept answers are for this step in this project, with the host {} only.</source>
        <translation>保留的答复仅适用于此工程中的这一步骤，且仅限主机 {}。</translation>
    </message>
    <message>
        <source>Kept answers are for this step in this project, on the layer “{}” only.</source>
        <translation>保留的答复仅适用于此工程中的这一步骤，且仅限图层“{}”。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>You did not allow this, and said: {}</source>
        <translation>您没有允许这一操作，并说明：{}</translation>
    </message>
    <message>
        <source>A person&apos;s own rule forbids this tool; say so, and do without it.</source>
        <translation>用户自己的规则禁止使用此工具；请说明这一点，并且不要使用它。</translation>
    </message>
    <message>
        <source>Data of others has been read, and the person&apos;s own words did not ask for this. Do not try it again; say so.</source>
        <translation>已读取他人的数据，而用户自己的话并未要求这样做。请勿再试，并说明这一点。</translation>
    </message>
    <message>
        <source>Data of others has been read, and the person&apos;s own words did not ask to remember anything. Do not try it again.</source>
        <translation>已读取他人的数据，而用户自己的话并未要求记住任何内容。请勿再试。</translation>
    </message>
    <message>
        <source>Several steps were refused already, so nobody is asked any more. Say what was not done, and end.</source>
        <translation>已有多个步骤被拒绝，因此不再询问任何人。请说明哪些没有完成，然后结束。</translation>
    </message>
    <message>
        <source>A part of the edit of &apos;{}&apos; was saved although the edit failed.</source>
        <translation>对“{}”的编辑虽然失败，但其中一部分已保存。</translation>
    </message>
    <message>
        <source>the saved edit in {}</source>
        <translation>{} 中已保存的编辑</translation>
    </message>
    <message>
        <source>Keeping what is changed</source>
        <translation>正在保留将被更改的内容</translation>
    </message>
    <message>
        <source>Keeping a copy of the file</source>
        <translation>正在保留文件的副本</translation>
    </message>
    <message>
        <source>Make room in the QGIS profile&apos;s folder; nothing was changed.</source>
        <translation>请在 QGIS 配置文件夹中腾出空间；没有更改任何内容。</translation>
    </message>
    <message>
        <source>No copy of the file could be kept: {}</source>
        <translation>无法保留文件的副本：{}</translation>
    </message>
    <message>
        <source>The stored permissions are not used: {}. The old file is kept as {}.</source>
        <translation>未使用已存储的权限：{}。旧文件保留为 {}。</translation>
    </message>
    <message>
        <source>it is too large</source>
        <translation>文件过大</translation>
    </message>
    <message>
        <source>another QGIS is using the file</source>
        <translation>另一个 QGIS 正在使用该文件</translation>
    </message>
    <message>
        <source>a newer version of the plugin wrote it</source>
        <translation>由更新版本的插件写入</translation>
    </message>
    <message>
        <source>it is damaged</source>
        <translation>文件已损坏</translation>
    </message>
    <message>
        <source>The permissions could not be stored: {}</source>
        <translation>无法存储权限：{}</translation>
    </message>
    <message>
        <source>The stored permissions cannot be read: {}</source>
        <translation>无法读取已存储的权限：{}</translation>
    </message>
    <message>
        <source>Ask the person to copy what is needed into the project folder.</source>
        <translation>请让用户把所需内容复制到工程文件夹中。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in a private place: no tool opens it.</source>
        <translation>“{}”位于私有位置：任何工具都不会打开它。</translation>
    </message>
    <message>
        <source>This result holds what is outside the agent&apos;s scope now.</source>
        <translation>此结果含有现已不在智能体可见范围内的内容。</translation>
    </message>
    <message>
        <source>Ask the question again: the answer leaves out what is excluded.</source>
        <translation>请重新提问：回答会略去被排除的内容。</translation>
    </message>
    <message>
        <source>There is a file of this name already</source>
        <translation>已有同名文件</translation>
    </message>
    <message>
        <source>The address belongs to this computer or to the local network</source>
        <translation>该地址属于本机或本地网络</translation>
    </message>
    <message>
        <source>No layer of this project comes from this host so far</source>
        <translation>此工程中尚无来自该主机的图层</translation>
    </message>
    <message>
        <source>An algorithm of a plugin that does not say what it makes</source>
        <translation>插件提供的算法，未说明其生成的内容</translation>
    </message>
    <message>
        <source>Many features at once: {}</source>
        <translation>一次涉及大量要素：{}</translation>
    </message>
    <message>
        <source>Outside the project folder: {}</source>
        <translation>工程文件夹之外：{}</translation>
    </message>
    <message>
        <source>It may take long: about {} features</source>
        <translation>可能耗时较长：约 {} 个要素</translation>
    </message>
    <message>
        <source>It may take long: {} cells</source>
        <translation>可能耗时较长：{} 个像元</translation>
    </message>
    <message>
        <source>Your rules for tools cannot be read, so every step is asked about. Set them again.</source>
        <translation>无法读取您的工具规则，因此每一步都会询问。请重新设置。</translation>
    </message>
    <message>
        <source>(by a field outside the agent&apos;s scope)</source>
        <translation>（按智能体可见范围之外的字段）</translation>
    </message>
    <message>
        <source>the layer is drawn by a field outside the agent&apos;s scope, so no part of it is known</source>
        <translation>该图层按智能体可见范围之外的字段绘制，因此其渲染器的任何部分都不可知</translation>
    </message>
    <message>
        <source>Give a whole renderer with its type and a field that describe_layer names.</source>
        <translation>请给出完整的渲染器，包括其类型和 describe_layer 列出的字段。</translation>
    </message>
    <message>
        <source>Style the layer with set_render_rule by a field that describe_layer names.</source>
        <translation>请用 set_render_rule 按 describe_layer 列出的字段设置图层样式。</translation>
    </message>
    <message>
        <source>The look of &apos;{}&apos; cannot be copied: it reads what is outside the agent&apos;s scope.</source>
        <translation>无法复制“{}”的外观：它读取智能体可见范围之外的内容。</translation>
    </message>
    <message>
        <source>The person did not agree to this, or the project was closed.</source>
        <translation>用户没有同意这一操作，或者工程已关闭。</translation>
    </message>
    <message>
        <source>There is no prepared write with this token.</source>
        <translation>没有与该令牌对应的已准备写入。</translation>
    </message>
    <message>
        <source>project</source>
        <translation>工程</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>caller</source>
        <translation>调用方</translation>
    </message>
    <message>
        <source>These are not the arguments that were shown.</source>
        <translation>这些参数与当时显示的不一致。</translation>
    </message>
    <message>
        <source>This token was made for another {}.</source>
        <translation>该令牌是为另一个{}生成的。</translation>
    </message>
    <message>
        <source>Ask the person for the encoding, and give it.</source>
        <translation>请向用户询问编码，并给出编码。</translation>
    </message>
    <message>
        <source>The raw text of &apos;{}&apos; holds fields outside the agent&apos;s scope.</source>
        <translation>“{}”的原始文本含有智能体可见范围之外的字段。</translation>
    </message>
    <message>
        <source>you: it stands in your message</source>
        <translation>您：原话见您的消息</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>您的消息</translation>
    </message>
    <message>
        <source>Data read before it</source>
        <translation>此前读取的数据</translation>
    </message>
    <message>
        <source>What {} changed: the state before it could not be kept (see the log)</source>
        <translation>{} 所作的更改：未能保留更改之前的状态（见日志）</translation>
    </message>
    <message>
        <source>Undo puts back a copy of the file as it is now; it asks when it was changed since.</source>
        <translation>撤销会用现在的副本恢复该文件；如果此后有更改，会先询问。</translation>
    </message>
    <message>
        <source>Undo sets the old values again; it asks where they were changed since.</source>
        <translation>撤销会恢复原来的值；如果此后有更改，会先询问。</translation>
    </message>
    <message>
        <source>Undo sets the old shape again; it asks when it was changed since.</source>
        <translation>撤销会恢复原来的形状；如果此后有更改，会先询问。</translation>
    </message>
    <message>
        <source>Undo deletes the new features; it asks when they were changed since.</source>
        <translation>撤销会删除新要素；如果此后有更改，会先询问。</translation>
    </message>
    <message>
        <source>Undo adds the deleted features again.</source>
        <translation>撤销会重新添加已删除的要素。</translation>
    </message>
    <message>
        <source>Features that are added again get new feature ids.</source>
        <translation>重新添加的要素会有新的要素 ID。</translation>
    </message>
    <message>
        <source>What the database itself does with an edit (triggers, other tables) stays.</source>
        <translation>数据库自身因编辑而作的更改（触发器、其他表）不会撤销。</translation>
    </message>
    <message>
        <source>The saved edit of &apos;{}&apos; cannot be undone: its data is too large to copy, or of a kind that has no copy.</source>
        <translation>无法撤销对“{}”已保存的编辑：其数据过大而无法复制，或属于无法复制的类型。</translation>
    </message>
    <message>
        <source>the saved values of {} features in &apos;{}&apos;</source>
        <translation>{0} 个要素已保存的值（“{1}”）</translation>
    </message>
    <message>
        <source>the saved shape of {} feature in &apos;{}&apos;</source>
        <translation>{0} 个要素已保存的形状（“{1}”）</translation>
    </message>
    <message>
        <source>{} new features saved in &apos;{}&apos;</source>
        <translation>{0} 个已保存的新要素（“{1}”）</translation>
    </message>
    <message>
        <source>{} features deleted from &apos;{}&apos;</source>
        <translation>{0} 个已删除的要素（“{1}”）</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; is not in the project any more.</source>
        <translation>图层“{}”已不在工程中。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has unsaved edits: save or discard them first.</source>
        <translation>“{}”有未保存的编辑：请先保存或放弃。</translation>
    </message>
    <message>
        <source>QGIS cannot start editing &apos;{}&apos;.</source>
        <translation>QGIS 无法开始编辑“{}”。</translation>
    </message>
    <message>
        <source>The data refused it: {}</source>
        <translation>数据源拒绝了更改：{}</translation>
    </message>
    <message>
        <source>&apos;{}&apos; reads back differently; look at it.</source>
        <translation>“{}”读回的内容不一致；请检查。</translation>
    </message>
    <message>
        <source>the new file {}</source>
        <translation>新文件 {}</translation>
    </message>
    <message>
        <source>The stored copy could not be put back: {}</source>
        <translation>无法恢复已存储的副本：{}</translation>
    </message>
    <message>
        <source>{} could not be removed: {}</source>
        <translation>无法移除 {}：{}</translation>
    </message>
    <message>
        <source>{} The file is incomplete now: {}</source>
        <translation>{} 文件现在不完整：{}</translation>
    </message>
    <message>
        <source>{} reads back differently</source>
        <translation>{} 读回的内容不一致</translation>
    </message>
    <message>
        <source>Name of layer</source>
        <translation>图层名称</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>过滤器</translation>
    </message>
    <message>
        <source>CRS of layer</source>
        <translation>图层的坐标参照系</translation>
    </message>
    <message>
        <source>Style</source>
        <translation>样式</translation>
    </message>
    <message>
        <source>the layer is no longer in the project</source>
        <translation>该图层已不在工程中</translation>
    </message>
    <message>
        <source>the layer is being edited, and QGIS sets no filter meanwhile</source>
        <translation>该图层正在编辑，在此期间 QGIS 不设置过滤器</translation>
    </message>
    <message>
        <source>the data source refused the filter</source>
        <translation>数据源拒绝了该过滤器</translation>
    </message>
    <message>
        <source>the edits have been saved or discarded</source>
        <translation>编辑已保存或放弃</translation>
    </message>
    <message>
        <source>the edits before it have changed</source>
        <translation>此前的编辑已发生变化</translation>
    </message>
    <message>
        <source>QGIS did not end editing the layer</source>
        <translation>QGIS 未能结束对该图层的编辑</translation>
    </message>
    <message>
        <source>edited since</source>
        <translation>此后编辑过</translation>
    </message>
    <message>
        <source>renamed, filtered or saved elsewhere since</source>
        <translation>此后重命名、过滤或另存过</translation>
    </message>
    <message>
        <source>styled since</source>
        <translation>此后更改过样式</translation>
    </message>
    <message>
        <source>kept by you</source>
        <translation>已由您保留</translation>
    </message>
    <message>
        <source>used elsewhere since</source>
        <translation>此后已用于别处</translation>
    </message>
    <message>
        <source>its data is no longer kept</source>
        <translation>其数据已不再保留</translation>
    </message>
    <message>
        <source>Layer removed: {}</source>
        <translation>已移除图层：{}</translation>
    </message>
    <message>
        <source>not set again: {}</source>
        <translation>未重新设置：{}</translation>
    </message>
    <message>
        <source>Layer added: {}</source>
        <translation>已添加图层：{}</translation>
    </message>
    <message>
        <source>Undo removes the new file; it asks if it was saved since.</source>
        <translation>撤销会移除新文件；如果此后保存过，会先询问。</translation>
    </message>
    <message>
        <source>The saving of {} cannot be undone: the file is too large for a copy.</source>
        <translation>无法撤销 {} 的保存：文件过大，无法复制。</translation>
    </message>
    <message>
        <source>Undo gives the file back what it holds now and removes the copy; it asks if it was saved since.</source>
        <translation>撤销会把文件恢复为现在的内容并移除副本；如果此后保存过，会先询问。</translation>
    </message>
    <message>
        <source>Undo removes the new file, and the open project is {} again; it asks if it was saved since.</source>
        <translation>撤销会移除新文件，打开的工程重新变为 {}；如果此后保存过，会先询问。</translation>
    </message>
    <message>
        <source>the saved project {}</source>
        <translation>已保存的工程 {}</translation>
    </message>
    <message>
        <source>Notes of this project</source>
        <translation>此工程的笔记</translation>
    </message>
    <message>
        <source>CRS of the project</source>
        <translation>工程的坐标参照系</translation>
    </message>
    <message>
        <source>the layout is no longer in the project</source>
        <translation>该布局已不在工程中</translation>
    </message>
    <message>
        <source>QGIS did not read its earlier state</source>
        <translation>QGIS 未能读取其先前的状态</translation>
    </message>
    <message>
        <source>Your preferences</source>
        <translation>您的偏好</translation>
    </message>
    <message>
        <source>Property of the project: {}</source>
        <translation>工程属性：{}</translation>
    </message>
    <message>
        <source>Variable of the project: {}</source>
        <translation>工程变量：{}</translation>
    </message>
    <message>
        <source>Map theme: {}</source>
        <translation>地图主题：{}</translation>
    </message>
    <message>
        <source>Bookmark: {}</source>
        <translation>书签：{}</translation>
    </message>
    <message>
        <source>Relation: {}</source>
        <translation>关联：{}</translation>
    </message>
    <message>
        <source>QGIS did not remove it</source>
        <translation>QGIS 未能移除它</translation>
    </message>
    <message>
        <source>Layout: {}</source>
        <translation>布局：{}</translation>
    </message>
    <message>
        <source>Undo removes the new file; it asks when it was changed since or a layer shows it.</source>
        <translation>撤销会移除新文件；如果此后有更改或有图层正在显示它，会先询问。</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>it cannot be set</source>
        <translation>无法设置</translation>
    </message>
    <message>
        <source>A tool is still running, so nothing can be undone yet.</source>
        <translation>仍有工具在运行，因此暂时无法撤销。</translation>
    </message>
    <message>
        <source>changed since, by you or a later request</source>
        <translation>此后已被您或之后的请求更改</translation>
    </message>
    <message>
        <source>Stop it or wait until it has ended.</source>
        <translation>请将其停止，或等待其结束。</translation>
    </message>
    <message>
        <source>it broke ({}); the log has the details</source>
        <translation>出错（{}）；详情见日志</translation>
    </message>
    <message>
        <source>QGIS did not take it</source>
        <translation>QGIS 未接受</translation>
    </message>
    <message>
        <source>Drawing order</source>
        <translation>绘制顺序</translation>
    </message>
    <message>
        <source>it is no longer in the layer tree</source>
        <translation>已不在图层树中</translation>
    </message>
    <message>
        <source>its group is gone</source>
        <translation>其所在的组已不存在</translation>
    </message>
    <message>
        <source>its group is inside it now</source>
        <translation>其所在的组现在位于它内部</translation>
    </message>
    <message>
        <source>something is still in it</source>
        <translation>其中仍有内容</translation>
    </message>
    <message>
        <source>Group added: {}</source>
        <translation>已添加组：{}</translation>
    </message>
    <message>
        <source>Group removed: {}</source>
        <translation>已移除组：{}</translation>
    </message>
    <message>
        <source>Place in the layer tree: {}</source>
        <translation>在图层树中的位置：{}</translation>
    </message>
    <message>
        <source>Visibility</source>
        <translation>可见性</translation>
    </message>
    <message>
        <source>Expansion in the layer tree</source>
        <translation>图层树中的展开状态</translation>
    </message>
    <message>
        <source>Name of group</source>
        <translation>组名称</translation>
    </message>
    <message>
        <source>Showing one layer only</source>
        <translation>一次只显示一个图层</translation>
    </message>
    <message>
        <source>Map view</source>
        <translation>地图视图</translation>
    </message>
    <message>
        <source>Undo this run</source>
        <translation>撤销本次运行</translation>
    </message>
    <message>
        <source>Undo the rest…</source>
        <translation>撤销其余更改…</translation>
    </message>
    <message>
        <source>Nothing was left to undo.</source>
        <translation>没有可撤销的内容了。</translation>
    </message>
    <message>
        <source>Puts back: {}</source>
        <translation>将恢复：{}</translation>
    </message>
    <message>
        <source>Cannot be put back: {}</source>
        <translation>无法恢复：{}</translation>
    </message>
    <message>
        <source>Undone: {}</source>
        <translation>已撤销：{}</translation>
    </message>
    <message>
        <source>Could not be put back: {}</source>
        <translation>未能恢复：{}</translation>
    </message>
    <message>
        <source>Cannot be taken back: {}</source>
        <translation>无法撤回：{}</translation>
    </message>
    <message>
        <source>If not: tell the agent why (optional)</source>
        <translation>如不允许：可告诉智能体原因（可选）</translation>
    </message>
    <message>
        <source>Enter says no, with this reason.</source>
        <translation>按 Enter 键即不允许，并附上此原因。</translation>
    </message>
    <message>
        <source>Always allow here</source>
        <translation>在此工程中始终允许</translation>
    </message>
    <message>
        <source>This can be taken back (“Undo this run”).</source>
        <translation>此操作可以撤销（“撤销本次运行”）。</translation>
    </message>
    <message>
        <source>Show on &amp;map</source>
        <translation>在地图上显示(&amp;M)</translation>
    </message>
    <message>
        <source>Don&apos;t allow any of these {}</source>
        <translation>这 {} 项都不允许</translation>
    </message>
    <message>
        <source>Similar questions that wait: {}</source>
        <translation>等待中的同类询问：{}</translation>
    </message>
    <message>
        <source>Other questions that wait: {}</source>
        <translation>等待中的其他询问：{}</translation>
    </message>
    <message>
        <source>Changed values</source>
        <translation>更改的值</translation>
    </message>
    <message>
        <source>No answer means no: {} s left</source>
        <translation>不答复即为不允许：剩余 {} 秒</translation>
    </message>
    <message>
        <source>This has no place on the map.</source>
        <translation>此内容在地图上没有位置。</translation>
    </message>
    <message>
        <source>This was changed after the run</source>
        <translation>以下内容在运行后被更改过</translation>
    </message>
    <message>
        <source>It stays as it is now, unless you tick it. What you tick goes back to before the run.</source>
        <translation>未勾选的保持现状；勾选的恢复到运行之前。</translation>
    </message>
    <message>
        <source>&amp;Put the ticked back</source>
        <translation>恢复勾选的内容(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Keep all as it is</source>
        <translation>全部保持现状(&amp;K)</translation>
    </message>
    <message>
        <source>What the agent may do without asking: {}</source>
        <translation>智能体无需询问即可做的事：{}</translation>
    </message>
    <message>
        <source>Rules and permissions given…</source>
        <translation>规则与已授予的权限…</translation>
    </message>
    <message>
        <source>Nothing was undone.</source>
        <translation>没有撤销任何内容。</translation>
    </message>
    <message>
        <source>This run can no longer be undone: another project is open, or it is too long ago.</source>
        <translation>此次运行已无法撤销：打开的是另一个工程，或时间过久。</translation>
    </message>
    <message>
        <source>Undo the agent&apos;s last run</source>
        <translation>撤销智能体的上次运行</translation>
    </message>
    <message>
        <source>So that nothing is shown by mistake, the agent sees no layer and no file of this project.</source>
        <translation>为避免误显示内容，智能体看不到此工程的任何图层和文件。</translation>
    </message>
    <message>
        <source>What you tick does not exist for the agent: no tool names it, reads it, or puts it into a result. This holds for copies of a layer too, and only you can change it.</source>
        <translation>勾选的内容对智能体而言不存在：没有工具会提及、读取它或将其放入结果。图层的副本同样如此，且只有您能更改这一设置。</translation>
    </message>
    <message>
        <source>Files in these folders are not listed, opened or written, nor are layers read from them.</source>
        <translation>这些文件夹中的文件不会被列出、打开或写入，也不会从中读取图层。</translation>
    </message>
    <message>
        <source>The choice that was kept cannot be read</source>
        <translation>无法读取已保存的选择</translation>
    </message>
    <message>
        <source>Choose anew</source>
        <translation>重新选择</translation>
    </message>
    <message>
        <source>Layers and fields</source>
        <translation>图层和字段</translation>
    </message>
    <message>
        <source>Search layers and fields</source>
        <translation>搜索图层和字段</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Folders that the agent does not see</source>
        <translation>智能体看不到的文件夹</translation>
    </message>
    <message>
        <source>No folder is hidden.</source>
        <translation>没有隐藏的文件夹。</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Hide a folder from the agent</source>
        <translation>对智能体隐藏文件夹</translation>
    </message>
    <message>
        <source>Hidden folder</source>
        <translation>隐藏的文件夹</translation>
    </message>
    <message>
        <source>Everything of this project is hidden from the agent.</source>
        <translation>此工程的所有内容均对智能体隐藏。</translation>
    </message>
    <message>
        <source>1 field</source>
        <translation>1 个字段</translation>
    </message>
    <message>
        <source>Nothing of this project is hidden from the agent.</source>
        <translation>此工程没有对智能体隐藏任何内容。</translation>
    </message>
    <message>
        <source>{} is hidden from the agent.</source>
        <translation>{}对智能体隐藏。</translation>
    </message>
    <message>
        <source>{} are hidden from the agent.</source>
        <translation>{}对智能体隐藏。</translation>
    </message>
    <message>
        <source>Layers and fields that the agent does not see</source>
        <translation>智能体看不到的图层和字段</translation>
    </message>
    <message>
        <source>the whole layer</source>
        <translation>整个图层</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 个图层</translation>
    </message>
    <message>
        <source>1 folder</source>
        <translation>1 个文件夹</translation>
    </message>
    <message>
        <source>{} folders</source>
        <translation>{} 个文件夹</translation>
    </message>
    <message>
        <source>Tick what the agent does not see</source>
        <translation>勾选智能体看不到的内容</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>no longer in the project</source>
        <translation>已不在工程中</translation>
    </message>
    <message>
        <source>a private layer of QGIS</source>
        <translation>QGIS 的私有图层</translation>
    </message>
    <message>
        <source>{} and {}</source>
        <translation>{}和 {}</translation>
    </message>
    <message>
        <source>as it shows hidden data</source>
        <translation>因其显示隐藏的数据</translation>
    </message>
    <message>
        <source>read and write</source>
        <translation>读写</translation>
    </message>
    <message>
        <source>read only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>More folders</source>
        <translation>其他文件夹</translation>
    </message>
    <message>
        <source>No other folders.</source>
        <translation>没有其他文件夹。</translation>
    </message>
    <message>
        <source>Add a folder to read…</source>
        <translation>添加可读文件夹…</translation>
    </message>
    <message>
        <source>Add a folder to write…</source>
        <translation>添加可写文件夹…</translation>
    </message>
    <message>
        <source>{} is not added: a whole disk and the QGIS profile are never open to the agent.</source>
        <translation>未添加 {}：整个磁盘和 QGIS 配置文件夹从不对智能体开放。</translation>
    </message>
    <message>
        <source>Choose a folder for the agent</source>
        <translation>为智能体选择文件夹</translation>
    </message>
    <message>
        <source>The agent reads files in the project&apos;s folder and in the folders of its layers, and writes (after your click) in the project&apos;s folder. Add others here.</source>
        <translation>智能体可读取工程文件夹及其图层所在文件夹中的文件，并（在您点击确认后）写入工程文件夹。可在此添加其他文件夹。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Allowed</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>this tool alone</source>
        <translation>仅此工具</translation>
    </message>
    <message>
        <source>this session</source>
        <translation>本次会话</translation>
    </message>
    <message>
        <source>always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>(not saved)</source>
        <translation>（未保存）</translation>
    </message>
    <message>
        <source>Permissions that you gave</source>
        <translation>您授予的权限</translation>
    </message>
    <message>
        <source>Search by tool, layer, host, project …</source>
        <translation>按工具、图层、主机、工程搜索…</translation>
    </message>
    <message>
        <source>Search the permissions</source>
        <translation>搜索权限</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Revoke all</source>
        <translation>全部撤销</translation>
    </message>
    <message>
        <source>No permission matches the search.</source>
        <translation>没有符合搜索的权限。</translation>
    </message>
    <message>
        <source>You have given no permission for more than one step.</source>
        <translation>您尚未授予超过一步的权限。</translation>
    </message>
    <message>
        <source>asked by {}</source>
        <translation>请求者 {}</translation>
    </message>
    <message>
        <source>layer {}</source>
        <translation>图层 {}</translation>
    </message>
    <message>
        <source>folder {}</source>
        <translation>文件夹 {}</translation>
    </message>
    <message>
        <source>host {}</source>
        <translation>主机 {}</translation>
    </message>
    <message>
        <source>They come from “Allow for this session” and “Always allow here”, and are never for writing files. Revoking takes effect at once.</source>
        <translation>来自“本次会话中允许”和“在此工程中始终允许”，从不包括写文件。撤销立即生效。</translation>
    </message>
    <message>
        <source>For</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>有效期</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>授予时间</translation>
    </message>
    <message>
        <source>By</source>
        <translation>授予人</translation>
    </message>
    <message>
        <source>Revoke the {} shown</source>
        <translation>撤销显示的 {} 项</translation>
    </message>
    <message>
        <source>Read only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Looks at the map and answers. Asks before it changes the look of the map or adds a layer; never writes files, changes data, runs code or uses the network.</source>
        <translation>只查看地图并回答。更改地图外观或添加图层前会询问；绝不写文件、改数据、运行代码或访问网络。</translation>
    </message>
    <message>
        <source>Safe (recommended)</source>
        <translation>安全（推荐）</translation>
    </message>
    <message>
        <source>Styles layers and adds results without asking; you can undo this. Asks for each host of the network, and every time before it writes files, changes data or runs code.</source>
        <translation>设置样式、添加结果图层无需询问，均可撤销。访问每个网络主机前会询问；写文件、改数据或运行代码前每次都询问。</translation>
    </message>
    <message>
        <source>Full access</source>
        <translation>完全访问</translation>
    </message>
    <message>
        <source>Asks for nothing that may be left unasked; at present the same as Safe. Network hosts are asked about, and writing files, changing data and running code are confirmed, at every level.</source>
        <translation>凡可不问的都不问；目前与“安全”相同。无论哪个级别，访问网络主机都会询问，写文件、改数据和运行代码都需确认。</translation>
    </message>
    <message>
        <source>What the agent may do without asking</source>
        <translation>智能体无需询问即可做的事</translation>
    </message>
    <message>
        <source>Audit</source>
        <translation>审计</translation>
    </message>
    <message>
        <source>Export the audit log…</source>
        <translation>导出审计日志…</translation>
    </message>
    <message>
        <source>Export the audit log</source>
        <translation>导出审计日志</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>权限</translation>
    </message>
    <message>
        <source>Every decision and every step is recorded in the QGIS profile: who did what, when, on which layer, allowed by whom. Secrets are left out.</source>
        <translation>每个决定和每个步骤都记录在 QGIS 配置文件夹中：谁在何时对哪个图层做了什么，由谁允许。不含机密信息。</translation>
    </message>
    <message>
        <source>{} entries written to {}</source>
        <translation>已写入 {} 条记录到 {}</translation>
    </message>
    <message>
        <source>It could not be written: {}</source>
        <translation>无法写入：{}</translation>
    </message>
    <message>
        <source>Every tool</source>
        <translation>所有工具</translation>
    </message>
    <message>
        <source>Running an algorithm of Processing</source>
        <translation>运行处理算法</translation>
    </message>
    <message>
        <source>Several tools</source>
        <translation>多个工具</translation>
    </message>
    <message>
        <source>a tool, prepare_*, or run_algorithm:gdal:*</source>
        <translation>工具名、prepare_* 或 run_algorithm:gdal:*</translation>
    </message>
    <message>
        <source>As the level says</source>
        <translation>按级别</translation>
    </message>
    <message>
        <source>Ask every time</source>
        <translation>每次询问</translation>
    </message>
    <message>
        <source>Never allow</source>
        <translation>从不允许</translation>
    </message>
    <message>
        <source>Rules for single tools</source>
        <translation>单个工具的规则</translation>
    </message>
    <message>
        <source>No rules: every tool is as the level says.</source>
        <translation>没有规则：所有工具均按级别处理。</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Add rule</source>
        <translation>添加规则</translation>
    </message>
    <message>
        <source>A rule makes a tool stricter than the level does, never laxer. Where several speak of a tool, the strictest counts, and no permission that you gave answers it.</source>
        <translation>规则只会让工具比级别更严格，不会更宽松。多条规则涉及同一工具时以最严格的为准，您授予的权限不能代替它。</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>… {} more characters are not shown here.</source>
        <translation>… 另有 {} 个字符未在此显示。</translation>
    </message>
    <message>
        <source>It comes from an answer, and an address can carry data of the project. Host: {}</source>
        <translation>它来自回答，而地址可能带有工程数据。主机：{}</translation>
    </message>
    <message>
        <source>{} What was written before stays: {}.</source>
        <translation>{}此前已写入的内容保留：{}。</translation>
    </message>
    <message>
        <source>Too many questions wait for the person already.</source>
        <translation>等待用户回答的问题已经太多。</translation>
    </message>
    <message>
        <source>Wait for the answers, then go on one step at a time.</source>
        <translation>请等待回答，然后一次只进行一步。</translation>
    </message>
    <message>
        <source>Choose another Python, then try again.</source>
        <translation>请选择其他 Python，然后重试。</translation>
    </message>
    <message>
        <source>The folder {folder} holds no wheels (files that end in .whl).</source>
        <translation>文件夹 {folder} 中没有 wheel 文件（以 .whl 结尾的文件）。</translation>
    </message>
    <message>
        <source>Choose the folder that the wheels are in, or install from the internet.</source>
        <translation>请选择 wheel 文件所在的文件夹，或从互联网安装。</translation>
    </message>
    <message>
        <source>A downloaded package is not the one that was tested. Nothing was installed.</source>
        <translation>下载的某个软件包与经过测试的不一致。没有安装任何内容。</translation>
    </message>
    <message>
        <source>Try again on another network, or install from a folder of wheels.</source>
        <translation>请换一个网络重试，或从 wheel 文件夹安装。</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>磁盘已满。</translation>
    </message>
    <message>
        <source>Make room on the disk (about 900 MB), then try again.</source>
        <translation>请腾出磁盘空间（约 900 MB），然后重试。</translation>
    </message>
    <message>
        <source>The proxy wants a user name and a password.</source>
        <translation>代理需要用户名和密码。</translation>
    </message>
    <message>
        <source>Enter them in QGIS&apos;s settings (Options &gt; Network), then try again.</source>
        <translation>请在 QGIS 的设置（选项 &gt; 网络）中输入，然后重试。</translation>
    </message>
    <message>
        <source>This Python cannot make secure connections: it has no ssl module.</source>
        <translation>此 Python 无法建立安全连接：它没有 ssl 模块。</translation>
    </message>
    <message>
        <source>The network answers with a certificate that is not trusted here.</source>
        <translation>网络返回的证书在此处不受信任。</translation>
    </message>
    <message>
        <source>If your organisation looks into secure connections, add its certificate authority in QGIS&apos;s settings (Options &gt; Authentication &gt; Manage certificates), then try again.</source>
        <translation>如果您的单位会检查安全连接，请在 QGIS 的设置（选项 &gt; 身份验证 &gt; 管理证书）中添加其证书颁发机构，然后重试。</translation>
    </message>
    <message>
        <source>The proxy does not answer, or refuses the connection.</source>
        <translation>代理没有响应，或拒绝连接。</translation>
    </message>
    <message>
        <source>Check the proxy in QGIS&apos;s settings (Options &gt; Network), then try again.</source>
        <translation>请检查 QGIS 设置（选项 &gt; 网络）中的代理，然后重试。</translation>
    </message>
    <message>
        <source>The path is too long for Windows.</source>
        <translation>路径太长，Windows 不支持。</translation>
    </message>
    <message>
        <source>Allow long paths, or name a short folder in the variable QGIS_AGENT_ENV.</source>
        <translation>请启用长路径，或在变量 QGIS_AGENT_ENV 中指定一个路径较短的文件夹。</translation>
    </message>
    <message>
        <source>The package index cannot be reached.</source>
        <translation>无法连接软件包索引。</translation>
    </message>
    <message>
        <source>Check the network and the proxy in QGIS&apos;s settings, then try again, or install from a folder of wheels.</source>
        <translation>请检查网络和 QGIS 设置中的代理，然后重试，或从 wheel 文件夹安装。</translation>
    </message>
    <message>
        <source>The package index refuses the request.</source>
        <translation>软件包索引拒绝了请求。</translation>
    </message>
    <message>
        <source>Try again later, or install from a folder of wheels.</source>
        <translation>请稍后重试，或从 wheel 文件夹安装。</translation>
    </message>
    <message>
        <source>A package is missing for this machine or this Python.</source>
        <translation>缺少适用于此计算机或此 Python 的软件包。</translation>
    </message>
    <message>
        <source>Choose a Python between 3.10 and 3.14, or a folder that holds all wheels.</source>
        <translation>请选择 3.10 到 3.14 之间的 Python，或选择包含全部 wheel 文件的文件夹。</translation>
    </message>
    <message>
        <source>The folder cannot be written to.</source>
        <translation>无法写入该文件夹。</translation>
    </message>
    <message>
        <source>Close every QGIS that uses the agent and check the folder&apos;s rights, then try again.</source>
        <translation>请关闭所有使用智能体的 QGIS，检查该文件夹的权限，然后重试。</translation>
    </message>
    <message>
        <source>it is Python {version}; {oldest} to {newest} are needed.</source>
        <translation>它是 Python {version}；需要 {oldest} 到 {newest}。</translation>
    </message>
    <message>
        <source>it has no working module {name}.</source>
        <translation>它没有可用的模块 {name}。</translation>
    </message>
    <message>
        <source>this is QGIS itself, not a Python.</source>
        <translation>这是 QGIS 本身，不是 Python。</translation>
    </message>
    <message>
        <source>it does not run as a Python.</source>
        <translation>它无法作为 Python 运行。</translation>
    </message>
    <message>
        <source>{path} cannot be used: {why}</source>
        <translation>无法使用 {path}：{why}</translation>
    </message>
    <message>
        <source>Name a folder of its own in the variable QGIS_AGENT_ENV.</source>
        <translation>请在变量 QGIS_AGENT_ENV 中指定一个专用的文件夹。</translation>
    </message>
    <message>
        <source>The agent environment could not be removed from {folder}: {error}</source>
        <translation>无法从 {folder} 移除智能体环境：{error}</translation>
    </message>
    <message>
        <source>The folder {folder} holds other things ({names}) and was left as it is.</source>
        <translation>文件夹 {folder} 中有其他内容（{names}），已保持原样。</translation>
    </message>
    <message>
        <source>Use an algorithm that takes layers, with layers in scope.</source>
        <translation>请使用以图层为输入的算法，并选用可见范围内的图层。</translation>
    </message>
    <message>
        <source>{} reads the whole map, and a part of it is outside the agent&apos;s scope.</source>
        <translation>{} 会读取整个地图，而地图的一部分在智能体可见范围之外。</translation>
    </message>
    <message>
        <source>The certificate authorities could not be written: {}</source>
        <translation>无法写入证书颁发机构：{}</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; is hidden from the agent (Project Properties › QGIS Agent).</source>
        <translation>图层“{}”已对智能体隐藏（工程属性 › QGIS Agent）。</translation>
    </message>
    <message>
        <source>What looks like a key or password is shown as {}; the step uses it as it is.</source>
        <translation>疑似密钥或密码的内容显示为 {}；该步骤仍按原样使用它。</translation>
    </message>
    <message>
        <source>Hidden here</source>
        <translation>此处已隐藏</translation>
    </message>
    <message>
        <source>The test was stopped.</source>
        <translation>测试已停止。</translation>
    </message>
    <message>
        <source>The test took too long.</source>
        <translation>测试用时过长。</translation>
    </message>
    <message>
        <source>QGIS uses the SOCKS proxy {}, which the agent cannot use. Take an HTTP proxy, or a folder of wheels.</source>
        <translation>QGIS 使用 SOCKS 代理 {}，智能体无法使用它。请使用 HTTP 代理，或 wheel 文件夹。</translation>
    </message>
    <message>
        <source>Through QGIS&apos;s proxy {}.</source>
        <translation>通过 QGIS 的代理 {}。</translation>
    </message>
    <message>
        <source>Saved the bookmark {name}</source>
        <translation>已保存书签 {name}</translation>
    </message>
    <message>
        <source>Removed the bookmark {name}</source>
        <translation>已移除书签 {name}</translation>
    </message>
    <message>
        <source>Edited {layer_id}</source>
        <translation>已编辑 {layer_id}</translation>
    </message>
    <message>
        <source>Exported {layer_id}</source>
        <translation>已导出 {layer_id}</translation>
    </message>
    <message>
        <source>Exported {layout}</source>
        <translation>已导出 {layout}</translation>
    </message>
    <message>
        <source>Wrote the table {path}</source>
        <translation>已写入表格 {path}</translation>
    </message>
    <message>
        <source>Wrote a note</source>
        <translation>已写入笔记</translation>
    </message>
    <message>
        <source>Removed a note</source>
        <translation>已移除笔记</translation>
    </message>
    <message>
        <source>Removed layers</source>
        <translation>已移除图层</translation>
    </message>
    <message>
        <source>Put removed layers back</source>
        <translation>已放回移除的图层</translation>
    </message>
    <message>
        <source>Saved the project</source>
        <translation>已保存工程</translation>
    </message>
    <message>
        <source>That did not work.</source>
        <translation>操作没有成功。</translation>
    </message>
    <message>
        <source>Another QGIS has this conversation open. Close it there, then try again.</source>
        <translation>另一个 QGIS 已打开此对话。请在那里关闭它，然后重试。</translation>
    </message>
    <message>
        <source>The file of this conversation is damaged. A copy is kept beside it.</source>
        <translation>此对话的文件已损坏。副本保留在同一位置。</translation>
    </message>
    <message>
        <source>A request is running. Wait for its end, or stop it, then try again.</source>
        <translation>有请求正在运行。请等它结束或将其停止，然后重试。</translation>
    </message>
    <message>
        <source>This conversation is no longer there.</source>
        <translation>此对话已不存在。</translation>
    </message>
    <message>
        <source>Requests: {}</source>
        <translation>请求：{}</translation>
    </message>
    <message>
        <source>project not saved</source>
        <translation>工程未保存</translation>
    </message>
    <message>
        <source>The note holds what looks like a key or password; nothing of that kind is kept.</source>
        <translation>笔记中有疑似密钥或密码的内容；这类内容一律不保存。</translation>
    </message>
    <message>
        <source>Say it without; a person enters keys in the settings.</source>
        <translation>请去掉这些内容再写；密钥由用户在设置中输入。</translation>
    </message>
    <message>
        <source>Undo takes these edits back as long as you have not saved them.</source>
        <translation>只要您尚未保存这些编辑，撤销就能将其还原。</translation>
    </message>
    <message>
        <source>the edits of {}, because they were saved after the run</source>
        <translation>{} 的编辑，因为它们在运行之后已保存</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Left as it is: {}</source>
        <translation>保持原样：{}</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>The last message changed the map ({changes}). Put that back first?</source>
        <translation>上一条消息更改了地图（{changes}）。要先恢复吗？</translation>
    </message>
    <message>
        <source>Changing your last message</source>
        <translation>正在修改您的上一条消息</translation>
    </message>
    <message>
        <source>Leave it as it was (Esc)</source>
        <translation>保持原样（Esc）</translation>
    </message>
    <message>
        <source>Undo and send</source>
        <translation>撤销并发送</translation>
    </message>
    <message>
        <source>Keep and send</source>
        <translation>保留并发送</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Named in this message</source>
        <translation>此消息中提到的内容</translation>
    </message>
    <message>
        <source>A run goes on. Stop it first (Esc), then undo.</source>
        <translation>运行仍在进行。请先停止（Esc），再撤销。</translation>
    </message>
    <message>
        <source>Nothing has been said yet.</source>
        <translation>还没有任何对话内容。</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>没有可撤销的内容。</translation>
    </message>
    <message>
        <source>Begin a new conversation</source>
        <translation>开始新对话</translation>
    </message>
    <message>
        <source>Take back what the last run changed</source>
        <translation>撤销上次运行所作的更改</translation>
    </message>
    <message>
        <source>Plan mode on or off: look and propose, change nothing</source>
        <translation>开启或关闭计划模式：只查看并提出方案，不作任何更改</translation>
    </message>
    <message>
        <source>Choose the model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Earlier conversations</source>
        <translation>以前的对话</translation>
    </message>
    <message>
        <source>See and take back permissions</source>
        <translation>查看和收回权限</translation>
    </message>
    <message>
        <source>Save this conversation as Markdown</source>
        <translation>将此对话保存为 Markdown</translation>
    </message>
    <message>
        <source>Commands and keys</source>
        <translation>命令和按键</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>There is no command /{name}. There are {commands}.</source>
        <translation>没有命令 /{name}。可用的命令有 {commands}。</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>A layer, a field, a layout</source>
        <translation>图层、字段、布局</translation>
    </message>
    <message>
        <source>The selected features</source>
        <translation>选中的要素</translation>
    </message>
    <message>
        <source>What the map shows now</source>
        <translation>地图当前显示的内容</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Send; a message waits while a run goes on</source>
        <translation>发送；运行期间消息会排队等待</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Shift+Enter</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>Up, Down</source>
        <translation>↑、↓</translation>
    </message>
    <message>
        <source>What was sent before</source>
        <translation>之前发送的内容</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Stop; close a list</source>
        <translation>停止；关闭列表</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Suggestion {number} of {count}: {words}</source>
        <translation>第 {number} 条建议，共 {count} 条：{words}</translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>{title}, {detail}</source>
        <translation>{title}，{detail}</translation>
    </message>
    <message>
        <source>{field} of {layer}</source>
        <translation>{layer} 的 {field}</translation>
    </message>
    <message>
        <source>the area that the map shows now (degrees west, south, east, north: {box})</source>
        <translation>地图当前显示的范围（西、南、东、北，单位为度：{box}）</translation>
    </message>
    <message>
        <source>Map extent</source>
        <translation>地图范围</translation>
    </message>
    <message>
        <source>point layer</source>
        <translation>点图层</translation>
    </message>
    <message>
        <source>line layer</source>
        <translation>线图层</translation>
    </message>
    <message>
        <source>polygon layer</source>
        <translation>面图层</translation>
    </message>
    <message>
        <source>table</source>
        <translation>表</translation>
    </message>
    <message>
        <source>raster layer</source>
        <translation>栅格图层</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>图层</translation>
    </message>
    <message>
        <source>print layout</source>
        <translation>打印布局</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 和 </translation>
    </message>
    <message>
        <source>field of {layer}</source>
        <translation>{layer} 的字段</translation>
    </message>
    <message>
        <source>the layout {name}</source>
        <translation>布局 {name}</translation>
    </message>
    <message>
        <source>nothing is selected</source>
        <translation>没有选中任何要素</translation>
    </message>
    <message>
        <source>the map shows nothing</source>
        <translation>地图没有显示任何内容</translation>
    </message>
    <message>
        <source>{kind}, {name}</source>
        <translation>{kind}，{name}</translation>
    </message>
    <message>
        <source>the selected features of {layers}</source>
        <translation>{layers} 的选中要素</translation>
    </message>
    <message>
        <source>No features are selected. Select some on the map first.</source>
        <translation>没有选中要素。请先在地图上选择一些要素。</translation>
    </message>
    <message>
        <source>The map shows no place on earth yet.</source>
        <translation>地图尚未显示地球上的任何地点。</translation>
    </message>
    <message>
        <source>Not everything could be put back, see above. Nothing was sent yet.</source>
        <translation>有些内容未能恢复，见上文。尚未发送任何内容。</translation>
    </message>
    <message>
        <source>The agent works in a Python environment of its own, apart from QGIS&apos;s. It is built once from tested packages and takes about 540 MB. Afterwards short commands work at once, offline and without a key.</source>
        <translation>智能体在自己的 Python 环境中运行，与 QGIS 的 Python 分开。该环境只需用经过测试的软件包构建一次，约占 540 MB。之后短命令立即可用，可离线，也无需密钥。</translation>
    </message>
    <message>
        <source>Type a request into the QGIS Agent panel; “help” lists what works without a model.</source>
        <translation>请在 QGIS Agent 面板中输入请求；“帮助”会列出不用模型也能完成的操作。</translation>
    </message>
    <message>
        <source>Ready, with Python {version}: {folder}</source>
        <translation>就绪，使用 Python {version}：{folder}</translation>
    </message>
    <message>
        <source>To use the agent again, set it up again.</source>
        <translation>要再次使用智能体，请重新设置。</translation>
    </message>
    <message>
        <source>Set up QGIS Agent</source>
        <translation>设置 QGIS Agent</translation>
    </message>
    <message>
        <source>Set up</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Build again</source>
        <translation>重新构建</translation>
    </message>
    <message>
        <source>Remove the agent environment?

{folder}

The agent then answers nothing until it is set up again. Your conversations, settings and keys stay.</source>
        <translation>要移除智能体环境吗？

{folder}

移除后，重新设置之前智能体不再应答。您的对话、设置和密钥会保留。</translation>
    </message>
    <message>
        <source>The agent is working.</source>
        <translation>智能体正在工作。</translation>
    </message>
    <message>
        <source>Stop it, then remove the environment.</source>
        <translation>请先停止它，再移除环境。</translation>
    </message>
    <message>
        <source>It is built in {folder}.</source>
        <translation>环境构建在 {folder} 中。</translation>
    </message>
    <message>
        <source>No Python that can be used was found. Install Python 3.12, or choose one.</source>
        <translation>没有找到可用的 Python。请安装 Python 3.12，或自行选择。</translation>
    </message>
    <message>
        <source>Looking for a Python…</source>
        <translation>正在查找 Python…</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose another Python</source>
        <translation>选择其他 Python</translation>
    </message>
    <message>
        <source>Packages</source>
        <translation>软件包</translation>
    </message>
    <message>
        <source>From the internet</source>
        <translation>从互联网获取</translation>
    </message>
    <message>
        <source>From a folder of wheels, without the internet</source>
        <translation>从 wheel 文件夹安装，不使用互联网</translation>
    </message>
    <message>
        <source>Folder of wheels</source>
        <translation>wheel 文件夹</translation>
    </message>
    <message>
        <source>Choose a Python</source>
        <translation>选择 Python</translation>
    </message>
    <message>
        <source>A Python that the program uv fetches</source>
        <translation>由 uv 程序下载的 Python</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>显示日志</translation>
    </message>
    <message>
        <source>Log of the build</source>
        <translation>构建日志</translation>
    </message>
    <message>
        <source>Hide the log</source>
        <translation>隐藏日志</translation>
    </message>
    <message>
        <source>“{name}” is not there any more, or is excluded.</source>
        <translation>“{name}”已不存在，或已被排除。</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line, Esc stops. @ names layers and more, / gives commands.</source>
        <translation>Enter 发送，Shift+Enter 换行，Esc 停止。@ 引用图层等内容，/ 输入命令。</translation>
    </message>
    <message>
        <source>Only layers of this project and files can be dropped here.</source>
        <translation>此处只能拖入此工程的图层和文件。</translation>
    </message>
    <message>
        <source>Sent as: {text}</source>
        <translation>发送为：{text}</translation>
    </message>
    <message>
        <source>Press to take it out of the message.</source>
        <translation>按下可将其从消息中去掉。</translation>
    </message>
    <message>
        <source>The agent does not see this layer: it is excluded or private.</source>
        <translation>智能体看不到此图层：它已被排除或为私有图层。</translation>
    </message>
    <message>
        <source>{kind}: {name}</source>
        <translation>{kind}：{name}</translation>
    </message>
    <message>
        <source>Show earlier messages ({count})</source>
        <translation>显示更早的消息（{count}）</translation>
    </message>
    <message>
        <source>Earlier conversation. Layers may have changed since.</source>
        <translation>以前的对话。图层此后可能已有变化。</translation>
    </message>
    <message>
        <source>The map after this answer</source>
        <translation>此回答之后的地图</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>Answers, styles and analyses; what it may do without asking is set beside this.</source>
        <translation>回答问题、设置样式、进行分析；无需询问即可做的事在旁边设置。</translation>
    </message>
    <message>
        <source>Plan only</source>
        <translation>仅计划</translation>
    </message>
    <message>
        <source>Reads and makes a plan; changes nothing until you apply the plan.</source>
        <translation>读取数据并制定计划；在您执行计划之前不作任何更改。</translation>
    </message>
    <message>
        <source>Look only</source>
        <translation>仅查看</translation>
    </message>
    <message>
        <source>Reads layers, fields and values; changes nothing.</source>
        <translation>读取图层、字段和值；不作任何更改。</translation>
    </message>
    <message>
        <source>Few tools</source>
        <translation>少量工具</translation>
    </message>
    <message>
        <source>For small models: finds, counts, shows and colours.</source>
        <translation>适用于小模型：查找、计数、显示和着色。</translation>
    </message>
    <message>
        <source>Plan only. Nothing changes until you apply the plan.</source>
        <translation>仅计划。在您执行计划之前不作任何更改。</translation>
    </message>
    <message>
        <source>Look only. Nothing changes.</source>
        <translation>仅查看。不作任何更改。</translation>
    </message>
    <message>
        <source>Back to work</source>
        <translation>返回工作模式</translation>
    </message>
    <message>
        <source>How the agent works: {}</source>
        <translation>智能体的工作方式：{}</translation>
    </message>
    <message>
        <source>Opens the menu of models.</source>
        <translation>打开模型菜单。</translation>
    </message>
    <message>
        <source>Model settings…</source>
        <translation>模型设置…</translation>
    </message>
    <message>
        <source>{number}: step {step}, {name} ({path})</source>
        <translation>{number}：第 {step} 步，{name}（{path}）</translation>
    </message>
    <message>
        <source>{number}: from your own words</source>
        <translation>{number}：来自您自己的话</translation>
    </message>
    <message>
        <source>Sources of the numbers ({count})</source>
        <translation>数字的来源（{count}）</translation>
    </message>
    <message>
        <source>{number}: from the map as it was ({path})</source>
        <translation>{number}：来自当时的地图（{path}）</translation>
    </message>
    <message>
        <source>{number}: from an earlier result, {tool} ({path})</source>
        <translation>{number}：来自之前的结果，{tool}（{path}）</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详细信息</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>The algorithms with their parameters, for QGIS&apos;s Python console</source>
        <translation>算法及其参数，可用于 QGIS 的 Python 控制台</translation>
    </message>
    <message>
        <source>Copy as Python</source>
        <translation>复制为 Python</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>显示详细信息</translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation>隐藏详细信息</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>{} %</source>
        <translation>{} %</translation>
    </message>
    <message>
        <source>Context used: {}</source>
        <translation>已用上下文：{}</translation>
    </message>
    <message>
        <source>Last request: {} tokens</source>
        <translation>上次请求：{} 个 token</translation>
    </message>
    <message>
        <source>Cost: {}</source>
        <translation>费用：{}</translation>
    </message>
    <message>
        <source>Change this message and send it again</source>
        <translation>修改此消息并重新发送</translation>
    </message>
    <message>
        <source>Changed and sent again, below</source>
        <translation>已修改并重新发送，见下方</translation>
    </message>
    <message>
        <source>Try again…</source>
        <translation>重试…</translation>
    </message>
    <message>
        <source>Ask about this layer…</source>
        <translation>询问此图层…</translation>
    </message>
    <message>
        <source>Ask the QGIS Agent</source>
        <translation>询问 QGIS Agent</translation>
    </message>
    <message>
        <source>Sends the request to the QGIS Agent panel</source>
        <translation>将请求发送到 QGIS Agent 面板</translation>
    </message>
    <message>
        <source>Ask: {}</source>
        <translation>询问：{}</translation>
    </message>
    <message>
        <source>Offline commands</source>
        <translation>离线命令</translation>
    </message>
    <message>
        <source>Earlier conversations…</source>
        <translation>以前的对话…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>The agent has a question.</source>
        <translation>智能体有问题要问您。</translation>
    </message>
    <message>
        <source>The agent process ended.</source>
        <translation>智能体进程已结束。</translation>
    </message>
    <message>
        <source>The request did not succeed.</source>
        <translation>这个请求没有成功。</translation>
    </message>
    <message>
        <source>The agent has finished.</source>
        <translation>智能体已完成。</translation>
    </message>
    <message>
        <source>Search titles and texts</source>
        <translation>搜索标题和文本</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Back to the conversation</source>
        <translation>返回对话</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>No conversation has these words.</source>
        <translation>没有包含这些词的对话。</translation>
    </message>
    <message>
        <source>There are no earlier conversations of this project yet.</source>
        <translation>此工程还没有以前的对话。</translation>
    </message>
    <message>
        <source>The newest {shown} of {total}.</source>
        <translation>共 {total} 个，显示最新的 {shown} 个。</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Markdown files (*.md)</source>
        <translation>Markdown 文件 (*.md)</translation>
    </message>
    <message>
        <source>Delete the conversation?</source>
        <translation>要删除此对话吗？</translation>
    </message>
    <message>
        <source>What was said and its charts are deleted for good. Layers and maps stay as they are.</source>
        <translation>对话内容及其图表将被永久删除。图层和地图保持不变。</translation>
    </message>
    <message>
        <source>Delete the conversation “{}”?</source>
        <translation>要删除对话“{}”吗？</translation>
    </message>
    <message>
        <source>Written to {}</source>
        <translation>已写入 {}</translation>
    </message>
    <message>
        <source>{} is there already and was not replaced.</source>
        <translation>{} 已存在，未被替换。</translation>
    </message>
    <message>
        <source>The file could not be written: {}</source>
        <translation>无法写入文件：{}</translation>
    </message>
    <message>
        <source>shown now</source>
        <translation>当前显示</translation>
    </message>
    <message>
        <source>The agent environment was removed.</source>
        <translation>智能体环境已移除。</translation>
    </message>
    <message>
        <source>Removing {folder}.</source>
        <translation>正在移除 {folder}。</translation>
    </message>
    <message>
        <source>Nothing was changed. Try again at any time.</source>
        <translation>未作任何更改。可随时重试。</translation>
    </message>
    <message>
        <source>Small picture of the map under answers</source>
        <translation>在回答下方显示地图缩略图</translation>
    </message>
    <message>
        <source>Build again or remove…</source>
        <translation>重新构建或移除…</translation>
    </message>
    <message>
        <source>Set up the agent environment…</source>
        <translation>设置智能体环境…</translation>
    </message>
    <message>
        <source>No key is known for this address yet.</source>
        <translation>还没有用于此地址的密钥。</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>提供商</translation>
    </message>
    <message>
        <source>Enter the name of a model.</source>
        <translation>请输入模型名称。</translation>
    </message>
    <message>
        <source>Enter an address that begins with https:// or http://.</source>
        <translation>请输入以 https:// 或 http:// 开头的地址。</translation>
    </message>
    <message>
        <source>This address is not encrypted: others on the way can read the key and what is sent.</source>
        <translation>此地址未加密：传输途中的其他人可以读取密钥和所发送的内容。</translation>
    </message>
    <message>
        <source>Kept with OK or Apply, for this address only.</source>
        <translation>点击“确定”或“应用”后保存，仅用于此地址。</translation>
    </message>
    <message>
        <source>A server on this computer or in your own network may need no key.</source>
        <translation>本机或您自己网络中的服务器可能不需要密钥。</translation>
    </message>
    <message>
        <source>for example {}</source>
        <translation>例如 {}</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>无限制</translation>
    </message>
    <message>
        <source>At a limit the agent stops and says so. Counting begins anew when QGIS closes or these settings change.</source>
        <translation>达到限制时，智能体会停止并说明。QGIS 关闭或更改这些设置后，重新计数。</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>更多…</translation>
    </message>
    <message>
        <source>Under More… only local addresses are allowed, and this address is not local.</source>
        <translation>“更多…”中设为只允许本地地址，而此地址不是本地地址。</translation>
    </message>
    <message>
        <source>The file with your own prices is not there.</source>
        <translation>您自己的价格文件不存在。</translation>
    </message>
    <message>
        <source>In the currency of the model&apos;s price</source>
        <translation>以模型价格的货币为单位</translation>
    </message>
    <message>
        <source>as the program sets it</source>
        <translation>由程序决定</translation>
    </message>
    <message>
        <source>Tokens that are asked of Ollama; others are not asked.</source>
        <translation>向 Ollama 请求的 token 数；对其他提供商不作此请求。</translation>
    </message>
    <message>
        <source>Price table (*.json)</source>
        <translation>价格表 (*.json)</translation>
    </message>
    <message>
        <source>Own prices</source>
        <translation>自定义价格</translation>
    </message>
    <message>
        <source>Tokens until QGIS closes</source>
        <translation>QGIS 关闭前的 token 数</translation>
    </message>
    <message>
        <source>Cost until QGIS closes</source>
        <translation>QGIS 关闭前的费用</translation>
    </message>
    <message>
        <source>Requests a minute</source>
        <translation>每分钟请求数</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Model that sorts requests before the work begins</source>
        <translation>开始工作前对请求进行分类的模型</translation>
    </message>
    <message>
        <source>None: requests are sorted without a model</source>
        <translation>无：不用模型对请求分类</translation>
    </message>
    <message>
        <source>Model that sorts requests: {}</source>
        <translation>用于请求分类的模型：{}</translation>
    </message>
    <message>
        <source>Another OpenAI-compatible address</source>
        <translation>其他兼容 OpenAI 的地址</translation>
    </message>
    <message>
        <source>{} (mainland China)</source>
        <translation>{}（中国大陆）</translation>
    </message>
    <message>
        <source>{} (Singapore)</source>
        <translation>{}（新加坡）</translation>
    </message>
    <message>
        <source>Sends four made-up requests, about 9,000 tokens in all; nothing of your project is in them.</source>
        <translation>发送四个虚构的请求，共约 9,000 个 token；其中不含您工程的任何内容。</translation>
    </message>
    <message>
        <source>All that the agent needs works.</source>
        <translation>智能体需要的功能均可用。</translation>
    </message>
    <message>
        <source>Test the model</source>
        <translation>测试模型</translation>
    </message>
    <message>
        <source>Stop the test</source>
        <translation>停止测试</translation>
    </message>
    <message>
        <source>Testing… This takes from a few seconds to a few minutes.</source>
        <translation>正在测试… 需要几秒到几分钟。</translation>
    </message>
    <message>
        <source>The agent cannot work with these settings yet.</source>
        <translation>按这些设置，智能体还无法工作。</translation>
    </message>
    <message>
        <source>The agent can work with this model, within limits.</source>
        <translation>智能体可以使用此模型，但有限制。</translation>
    </message>
    <message>
        <source>{check} ({state}): {sentence}</source>
        <translation>{check}（{state}）：{sentence}</translation>
    </message>
    <message>
        <source>Another test is going on.</source>
        <translation>另一个测试正在进行。</translation>
    </message>
    <message>
        <source>Check the spelling of the model&apos;s name.</source>
        <translation>请检查模型名称的拼写。</translation>
    </message>
    <message>
        <source>Wait a little and test again; a plan with higher limits helps for good.</source>
        <translation>请稍等片刻再测试；换用限额更高的套餐可以彻底解决。</translation>
    </message>
    <message>
        <source>A request of {} tokens was read in full.</source>
        <translation>{} 个 token 的请求已完整读取。</translation>
    </message>
    <message>
        <source>Give the model a larger context (Ollama: More…, Context; LM Studio, vLLM, llama.cpp: where the model is loaded), or use another model.</source>
        <translation>请给模型更大的上下文（Ollama：“更多…”中的“上下文”；LM Studio、vLLM、llama.cpp：在加载模型的地方设置），或换用其他模型。</translation>
    </message>
    <message>
        <source>The model takes {} tokens: enough for short conversations only.</source>
        <translation>模型可接收 {} 个 token：只够进行简短的对话。</translation>
    </message>
    <message>
        <source>A request of {} tokens, as the agent sends them, is too long for the model.</source>
        <translation>智能体发送的请求有 {} 个 token，对此模型来说太长。</translation>
    </message>
    <message>
        <source>Of {} tokens the server read only {}: the beginning was cut off without a word.</source>
        <translation>{} 个 token 中服务器只读取了 {} 个：开头部分被截掉，且没有任何提示。</translation>
    </message>
    <message>
        <source>The model did not find a word at the beginning of a request of {} tokens.</source>
        <translation>模型没有找到 {} 个 token 的请求开头处的一个词。</translation>
    </message>
    <message>
        <source>A request of {} tokens was not answered within {} s.</source>
        <translation>{} 个 token 的请求在 {} 秒内没有得到应答。</translation>
    </message>
    <message>
        <source>The agent works with tools only: use a model that can call them.</source>
        <translation>智能体只能通过工具工作：请使用能调用工具的模型。</translation>
    </message>
    <message>
        <source>A smaller model, or one on a faster computer, makes the agent quicker.</source>
        <translation>换用较小的模型，或在更快的计算机上运行模型，智能体会更快。</translation>
    </message>
    <message>
        <source>The server does not know a model of this name.</source>
        <translation>服务器上没有此名称的模型。</translation>
    </message>
    <message>
        <source>The server asks for fewer requests (HTTP 429).</source>
        <translation>服务器要求减少请求（HTTP 429）。</translation>
    </message>
    <message>
        <source>Try again in a few minutes. On your own server, look at its log.</source>
        <translation>请过几分钟再试。如果是您自己的服务器，请查看其日志。</translation>
    </message>
    <message>
        <source>Check that the name is that of a chat model, not of one for embeddings or pictures.</source>
        <translation>请检查该名称是否为对话模型，而不是嵌入模型或图像模型。</translation>
    </message>
    <message>
        <source>It may still be loading: test again in a minute, or use a smaller model.</source>
        <translation>模型可能仍在加载：请过一分钟再测试，或换用较小的模型。</translation>
    </message>
    <message>
        <source>A request of {} tokens was read in full; the model takes {}.</source>
        <translation>{} 个 token 的请求已完整读取；模型可接收 {} 个。</translation>
    </message>
    <message>
        <source>The model takes {} tokens; the agent needs {}.</source>
        <translation>模型可接收 {} 个 token；智能体需要 {} 个。</translation>
    </message>
    <message>
        <source>Not tested.</source>
        <translation>未测试。</translation>
    </message>
    <message>
        <source>Streaming</source>
        <translation>流式输出</translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation>工具调用</translation>
    </message>
    <message>
        <source>Context size</source>
        <translation>上下文大小</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>works</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>does not work</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>not tested</source>
        <translation>未测试</translation>
    </message>
    <message>
        <source>The model answers; the first word came after {} s.</source>
        <translation>模型有应答；第一个词在 {} 秒后到达。</translation>
    </message>
    <message>
        <source>The model answers, but slowly: the first word came after {} s.</source>
        <translation>模型有应答，但较慢：第一个词在 {} 秒后到达。</translation>
    </message>
    <message>
        <source>Models of this server: {}</source>
        <translation>此服务器的模型：{}</translation>
    </message>
    <message>
        <source>Wait {} s and test again.</source>
        <translation>请等待 {} 秒后再测试。</translation>
    </message>
    <message>
        <source>The server failed (HTTP {}).</source>
        <translation>服务器出错（HTTP {}）。</translation>
    </message>
    <message>
        <source>The server refused a plain request (HTTP {}).</source>
        <translation>服务器拒绝了一个普通请求（HTTP {}）。</translation>
    </message>
    <message>
        <source>The model did not answer within {} s.</source>
        <translation>模型在 {} 秒内没有应答。</translation>
    </message>
    <message>
        <source>The server accepts the key.</source>
        <translation>服务器接受此密钥。</translation>
    </message>
    <message>
        <source>The server wants no key.</source>
        <translation>服务器不需要密钥。</translation>
    </message>
    <message>
        <source>No key is known for this address; nothing was sent.</source>
        <translation>没有用于此地址的密钥；未发送任何内容。</translation>
    </message>
    <message>
        <source>Enter the key. A server that takes none accepts any word as key.</source>
        <translation>请输入密钥。不需要密钥的服务器接受任意文字作为密钥。</translation>
    </message>
    <message>
        <source>The server does not accept the key.</source>
        <translation>服务器不接受此密钥。</translation>
    </message>
    <message>
        <source>Enter the key again, whole and without blanks, or make a new one there.</source>
        <translation>请重新输入完整的密钥，不要带空格，或在提供商处新建一个密钥。</translation>
    </message>
    <message>
        <source>The key is right, but its account is used up.</source>
        <translation>密钥正确，但其账户额度已用完。</translation>
    </message>
    <message>
        <source>Check the balance and the plan at the provider.</source>
        <translation>请在提供商处查看余额和套餐。</translation>
    </message>
    <message>
        <source>The server accepted the request and sent an empty answer.</source>
        <translation>服务器接受了请求，但返回了空的回答。</translation>
    </message>
    <message>
        <source>Test again; if it stays so, use another model of this server.</source>
        <translation>请再测试一次；如果仍然如此，请换用此服务器的其他模型。</translation>
    </message>
    <message>
        <source>The answer broke off before its end.</source>
        <translation>回答未结束就中断了。</translation>
    </message>
    <message>
        <source>Test again. A proxy between here and the server may cut long answers off.</source>
        <translation>请再测试一次。本机与服务器之间的代理可能会截断较长的回答。</translation>
    </message>
    <message>
        <source>Answers come word by word.</source>
        <translation>回答逐词到达。</translation>
    </message>
    <message>
        <source>Answers come in one piece, although word by word was asked for.</source>
        <translation>要求逐词返回，但回答是一次性返回的。</translation>
    </message>
    <message>
        <source>The agent works, but you see an answer only when it is complete.</source>
        <translation>智能体可以工作，但只有回答完成后您才能看到。</translation>
    </message>
    <message>
        <source>The server cannot send answers word by word.</source>
        <translation>服务器不能逐词返回回答。</translation>
    </message>
    <message>
        <source>The model calls tools.</source>
        <translation>模型能调用工具。</translation>
    </message>
    <message>
        <source>The model writes its tool calls as text; the agent reads them.</source>
        <translation>模型把工具调用写成文本；智能体可以读取。</translation>
    </message>
    <message>
        <source>Steps that change something are asked about first. A server can be set up for real tool calls (vLLM: --enable-auto-tool-choice and --tool-call-parser).</source>
        <translation>有更改的步骤会先询问您。可以把服务器设置为支持真正的工具调用（vLLM：--enable-auto-tool-choice 和 --tool-call-parser）。</translation>
    </message>
    <message>
        <source>The server takes no tools for this model.</source>
        <translation>服务器不支持此模型使用工具。</translation>
    </message>
    <message>
        <source>The model did not call a tool when asked to.</source>
        <translation>要求模型调用工具时，它没有调用。</translation>
    </message>
    <message>
        <source>The model calls tools with arguments that are wrong.</source>
        <translation>模型调用工具时参数有误。</translation>
    </message>
    <message>
        <source>The server failed on a request with tools.</source>
        <translation>服务器处理带工具的请求时出错。</translation>
    </message>
    <message>
        <source>The server failed on a long request.</source>
        <translation>服务器处理长请求时出错。</translation>
    </message>
    <message>
        <source>Test again in a few minutes.</source>
        <translation>请过几分钟再测试。</translation>
    </message>
    <message>
        <source>The model sees pictures.</source>
        <translation>模型能识别图片。</translation>
    </message>
    <message>
        <source>The model sees no pictures. The agent does not need it to.</source>
        <translation>模型不能识别图片。智能体并不需要这一功能。</translation>
    </message>
    <message>
        <source>Check the path of the address; for most servers it ends in /v1.</source>
        <translation>请检查地址的路径；大多数服务器的地址以 /v1 结尾。</translation>
    </message>
    <message>
        <source>Add the certificate of its authority in QGIS: Settings, Options, Authentication, Manage Certificates. Then test again.</source>
        <translation>请在 QGIS 中添加其颁发机构的证书：“设置”&gt;“选项”&gt;“认证”&gt;“管理证书”。然后再测试一次。</translation>
    </message>
    <message>
        <source>The server is there, but not this path (HTTP 404).</source>
        <translation>服务器存在，但没有此路径（HTTP 404）。</translation>
    </message>
    <message>
        <source>Check the address. In a guest network, log in first: its page may stand in for the server.</source>
        <translation>请检查地址。在访客网络中请先登录：返回的可能是登录页面，而不是服务器的内容。</translation>
    </message>
    <message>
        <source>A web page answers at this address, not a model.</source>
        <translation>此地址返回的是网页，而不是模型的应答。</translation>
    </message>
    <message>
        <source>Please report this, with the messages in the log panel.</source>
        <translation>请报告此问题，并附上日志面板中的消息。</translation>
    </message>
    <message>
        <source>The server is reached.</source>
        <translation>已连接到服务器。</translation>
    </message>
    <message>
        <source>This is no web address.</source>
        <translation>这不是网址。</translation>
    </message>
    <message>
        <source>It begins with https:// or http:// and names a server.</source>
        <translation>地址应以 https:// 或 http:// 开头，并包含服务器名称。</translation>
    </message>
    <message>
        <source>Nothing listens at this address (connection refused).</source>
        <translation>此地址上没有服务在监听（连接被拒绝）。</translation>
    </message>
    <message>
        <source>Start the server, and check the port in the address.</source>
        <translation>请启动服务器，并检查地址中的端口。</translation>
    </message>
    <message>
        <source>No server of this name is known.</source>
        <translation>找不到此名称的服务器。</translation>
    </message>
    <message>
        <source>Check the spelling of the address, and that there is a network.</source>
        <translation>请检查地址的拼写，以及网络是否可用。</translation>
    </message>
    <message>
        <source>The connection to the server broke off.</source>
        <translation>与服务器的连接中断了。</translation>
    </message>
    <message>
        <source>Check the network, QGIS&apos;s proxy settings, and whether it must be https or http.</source>
        <translation>请检查网络、QGIS 的代理设置，以及应使用 https 还是 http。</translation>
    </message>
    <message>
        <source>The server does not answer.</source>
        <translation>服务器没有应答。</translation>
    </message>
    <message>
        <source>Check the address and the port; a firewall may swallow the request.</source>
        <translation>请检查地址和端口；请求可能被防火墙拦截。</translation>
    </message>
    <message>
        <source>The address begins with https, but the server speaks http.</source>
        <translation>地址以 https 开头，但服务器使用 http。</translation>
    </message>
    <message>
        <source>Write http:// where the server is on this computer or in your own network.</source>
        <translation>如果服务器在本机或您自己的网络中，请改写为 http://。</translation>
    </message>
    <message>
        <source>The server&apos;s certificate is signed by nobody but itself.</source>
        <translation>服务器的证书是自签名证书。</translation>
    </message>
    <message>
        <source>The server&apos;s certificate has expired.</source>
        <translation>服务器的证书已过期。</translation>
    </message>
    <message>
        <source>Its owner must renew it. Check the clock of this computer, too.</source>
        <translation>证书须由服务器的所有者更新。也请检查本机的时钟。</translation>
    </message>
    <message>
        <source>The server&apos;s certificate is for another name.</source>
        <translation>服务器的证书属于另一个名称。</translation>
    </message>
    <message>
        <source>Write the name that the certificate is for, not a number or a nickname.</source>
        <translation>请填写证书所对应的名称，不要用数字地址或别名。</translation>
    </message>
    <message>
        <source>The server&apos;s certificate comes from an authority that is not known here.</source>
        <translation>服务器证书的颁发机构在本机上未知。</translation>
    </message>
    <message>
        <source>The proxy did not let the request through.</source>
        <translation>代理没有放行此请求。</translation>
    </message>
    <message>
        <source>Check QGIS&apos;s proxy settings: Settings, Options, Network.</source>
        <translation>请检查 QGIS 的代理设置：“设置”&gt;“选项”&gt;“网络”。</translation>
    </message>
    <message>
        <source>The server answers with nothing at all.</source>
        <translation>服务器没有返回任何内容。</translation>
    </message>
    <message>
        <source>Check that the address is that of an OpenAI-compatible interface.</source>
        <translation>请检查该地址是否为兼容 OpenAI 的接口地址。</translation>
    </message>
    <message>
        <source>The server sent something that is not an answer of a model.</source>
        <translation>服务器返回的内容不是模型的回答。</translation>
    </message>
    <message>
        <source>The library that talks to models cannot be loaded.</source>
        <translation>无法加载用于与模型通信的库。</translation>
    </message>
    <message>
        <source>Set up the agent environment again.</source>
        <translation>请重新设置智能体环境。</translation>
    </message>
    <message>
        <source>This address works: {}</source>
        <translation>此地址可用：{}</translation>
    </message>
    <message>
        <source>The test failed inside the program: {}</source>
        <translation>测试因程序内部错误而失败：{}</translation>
    </message>
    <message>
        <source>There is no tool of this name: the rule holds for nothing.</source>
        <translation>没有此名称的工具：该规则不起作用。</translation>
    </message>
    <message>
        <source>validity</source>
        <translation>有效性</translation>
    </message>
    <message>
        <source>duplicates</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>slivers</source>
        <translation>碎屑多边形</translation>
    </message>
    <message>
        <source>overlaps</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>gaps</source>
        <translation>间隙</translation>
    </message>
    <message>
        <source>ring_direction</source>
        <translation>环方向</translation>
    </message>
    <message>
        <source>multipart</source>
        <translation>多部件</translation>
    </message>
    <message>
        <source>profile</source>
        <translation>剖面曲率</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>平面曲率</translation>
    </message>
    <message>
        <source>total</source>
        <translation>总曲率</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>总和</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>range</source>
        <translation>极差</translation>
    </message>
    <message>
        <source>std</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>majority</source>
        <translation>众数</translation>
    </message>
    <message>
        <source>count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>This message began a new conversation: the earlier one holds attribute values, and these are kept in QGIS now.</source>
        <translation>此消息开始了一个新对话：先前的对话含有属性值，而这些值现在保留在 QGIS 中。</translation>
    </message>
    <message>
        <source>Attribute values stay in QGIS: its step shows this result in full.</source>
        <translation>属性值保留在 QGIS 中：其步骤会完整显示此结果。</translation>
    </message>
    <message>
        <source>Attribute values are kept in QGIS (Settings › QGIS Agent), so there is no chart of them.</source>
        <translation>属性值保留在 QGIS 中（设置 › QGIS Agent），因此不为其绘制图表。</translation>
    </message>
    <message>
        <source>Say so; a styled layer or a layout shows the values on the person&apos;s own screen.</source>
        <translation>请说明这一点；设置了样式的图层或布局会在用户自己的屏幕上显示这些值。</translation>
    </message>
    <message>
        <source>The person cancelled this step.</source>
        <translation>用户取消了此步骤。</translation>
    </message>
    <message>
        <source>Do not run it again unasked. Go on without it, and say what is missing.</source>
        <translation>未经要求不要再次运行。请在没有它的情况下继续，并说明缺少什么。</translation>
    </message>
    <message>
        <source>Use &apos;sample&apos;, &apos;world&apos;, or a project file beside the set.</source>
        <translation>请使用“sample”、“world”，或评测集旁边的工程文件。</translation>
    </message>
    <message>
        <source>Put it right and run it again.</source>
        <translation>请改正后再次运行。</translation>
    </message>
    <message>
        <source>The evaluation could not be carried out: {}</source>
        <translation>无法进行评测：{}</translation>
    </message>
    <message>
        <source>tests/evals/README.md describes the files of an evaluation.</source>
        <translation>评测的文件格式见 tests/evals/README.md。</translation>
    </message>
    <message>
        <source>The script must belong to the set.</source>
        <translation>脚本必须与评测集对应。</translation>
    </message>
    <message>
        <source>The agent process did not answer.</source>
        <translation>智能体进程没有应答。</translation>
    </message>
    <message>
        <source>The set has {} faults: {}</source>
        <translation>评测集有 {} 处错误：{}</translation>
    </message>
    <message>
        <source>There is no case &apos;{}&apos; for the turns of that name.</source>
        <translation>没有用例“{}”与该名称的轮次对应。</translation>
    </message>
    <message>
        <source>It holds no case.</source>
        <translation>其中没有用例。</translation>
    </message>
    <message>
        <source>It must be an object: turns by the ids of cases.</source>
        <translation>它必须是一个对象：以用例的 id 为键的轮次。</translation>
    </message>
    <message>
        <source>The file is too large.</source>
        <translation>文件太大。</translation>
    </message>
    <message>
        <source>&apos;{}&apos; cannot be used: {}</source>
        <translation>无法使用“{}”：{}</translation>
    </message>
    <message>
        <source>line {} has no id and text.</source>
        <translation>第 {} 行没有 id 和 text。</translation>
    </message>
    <message>
        <source>{}: the turns must be a list.</source>
        <translation>{}：轮次必须是列表。</translation>
    </message>
    <message>
        <source>line {}: {}</source>
        <translation>第 {} 行：{}</translation>
    </message>
    <message>
        <source>The run was made with another version of QGIS.</source>
        <translation>此次运行使用的是另一版本的 QGIS。</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>请选择另一个文件夹。</translation>
    </message>
    <message>
        <source>Export the run as a script instead.</source>
        <translation>请改为将运行导出为脚本。</translation>
    </message>
    <message>
        <source>The file {} cannot be written.</source>
        <translation>无法写入文件 {}。</translation>
    </message>
    <message>
        <source>QGIS does not accept the model: {}</source>
        <translation>QGIS 不接受该模型：{}</translation>
    </message>
    <message>
        <source>Use: python3 {} PROJECT FOLDER (with the Python of QGIS)</source>
        <translation>用法：python3 {} 工程 文件夹（使用 QGIS 的 Python）</translation>
    </message>
    <message>
        <source>The file {} cannot be written: {}.</source>
        <translation>无法写入文件 {}：{}。</translation>
    </message>
    <message>
        <source>No algorithm ran in this request, so there is nothing to export as a model or script.</source>
        <translation>此请求没有运行任何算法，因此没有可导出为模型或脚本的内容。</translation>
    </message>
    <message>
        <source>Export the trace again from its conversation.</source>
        <translation>请从其对话中重新导出轨迹。</translation>
    </message>
    <message>
        <source>Choose a request with an analysis, for example a buffer or an overlay.</source>
        <translation>请选择一个含有分析（例如缓冲区或叠加）的请求。</translation>
    </message>
    <message>
        <source>The record of the run cannot be read ({}).</source>
        <translation>无法读取该次运行的记录（{}）。</translation>
    </message>
    <message>
        <source>Steps of the run that are not Processing, and are not done here:</source>
        <translation>此次运行中不属于 Processing、在此不执行的步骤：</translation>
    </message>
    <message>
        <source>The run measured on the ellipsoid {}: the project&apos;s must be the same.</source>
        <translation>此次运行按椭球 {} 量算：工程的椭球必须与之相同。</translation>
    </message>
    <message>
        <source>The field {} is called {}: a GeoPackage takes no id twice.</source>
        <translation>字段 {} 改名为 {}：GeoPackage 不允许 id 重复。</translation>
    </message>
    <message>
        <source>It uses algorithms of the plugin QGIS Agent, which must be installed.</source>
        <translation>它使用插件 QGIS Agent 的算法，必须安装该插件。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; is not in the project file: choose one for it.</source>
        <translation>图层“{}”不在工程文件中：请为它选择一个图层。</translation>
    </message>
    <message>
        <source>The layer &apos;{}&apos; had a filter of the project, which must be in force.</source>
        <translation>图层“{}”当时带有工程的过滤条件，运行时必须生效。</translation>
    </message>
    <message>
        <source>Step {}: {} {} – cannot be repeated by algorithms alone.</source>
        <translation>步骤 {}：{} {} – 仅靠算法无法重复。</translation>
    </message>
    <message>
        <source>Step {}: {} {}</source>
        <translation>步骤 {}：{} {}</translation>
    </message>
    <message>
        <source>Request: {}</source>
        <translation>请求：{}</translation>
    </message>
    <message>
        <source>Made by QGIS Agent from the run {}.</source>
        <translation>由 QGIS Agent 根据运行 {} 生成。</translation>
    </message>
    <message>
        <source>Project: {}</source>
        <translation>工程：{}</translation>
    </message>
    <message>
        <source>Answer: {}</source>
        <translation>回答：{}</translation>
    </message>
    <message>
        <source>Save it again without redaction.</source>
        <translation>请重新保存，且不要脱敏。</translation>
    </message>
    <message>
        <source>The trace {} cannot be replayed: {} were taken out of it when it was saved.</source>
        <translation>无法重放轨迹 {}：保存时已从中去除 {}。</translation>
    </message>
    <message>
        <source>Name the project, or a copy of it, that the trace was recorded on.</source>
        <translation>请指定录制该轨迹时所用的工程或其副本。</translation>
    </message>
    <message>
        <source>The replay differs {}. At {} it was {}, now it is {}.</source>
        <translation>重放{}出现差异。在 {}，原为 {}，现为 {}。</translation>
    </message>
    <message>
        <source>before the first step: the project is not as it was then</source>
        <translation>在第一步之前（工程与当时不同）</translation>
    </message>
    <message>
        <source>in step {} ({})</source>
        <translation>在步骤 {}（{}）</translation>
    </message>
    <message>
        <source>at the end, in the map</source>
        <translation>在结束时的地图中</translation>
    </message>
    <message>
        <source>Not done again, because they write: {}.</source>
        <translation>以下步骤因会写入而未重做：{}。</translation>
    </message>
    <message>
        <source>The replay is equal: the same results and the same map. Steps repeated: {}.</source>
        <translation>重放结果相同：结果和地图都一致。重复的步骤数：{}。</translation>
    </message>
    <message>
        <source>A picture could not be shown to the model: {}</source>
        <translation>有一张图片无法提供给模型：{}</translation>
    </message>
    <message>
        <source>A newer version of this plugin wrote this conversation. Update the plugin to open it.</source>
        <translation>此对话由本插件的较新版本写入。请更新插件后再打开。</translation>
    </message>
    <message>
        <source>A run goes on. Stop it first (Esc), or wait for its end.</source>
        <translation>有运行正在进行。请先停止它（Esc），或等待其结束。</translation>
    </message>
    <message>
        <source>There is no map to be seen.</source>
        <translation>没有可看的地图。</translation>
    </message>
    <message>
        <source>Show the model the map as it is now</source>
        <translation>把当前地图展示给模型</translation>
    </message>
    <message>
        <source>Summarise the beginning of a long conversation now</source>
        <translation>现在就概括较长对话的开头部分</translation>
    </message>
    <message>
        <source>Older results of tools are no longer sent to the model: about {before} tokens became {after}. What you see stays.</source>
        <translation>较早的工具结果不再发送：约 {before} 个 token 减为 {after} 个。您看到的内容不变。</translation>
    </message>
    <message>
        <source>The beginning of the conversation was summarised for the model: about {before} tokens became {after}. What you see stays.</source>
        <translation>已为模型概括对话的开头：约 {before} 个 token 减为 {after} 个。您看到的内容不变。</translation>
    </message>
    <message>
        <source>There is nothing worth summarising: the conversation takes about {} tokens.</source>
        <translation>没有值得概括的内容：对话约占 {} 个 token。</translation>
    </message>
    <message>
        <source>The offline commands read no conversation: there is nothing to summarise.</source>
        <translation>离线命令不读取对话：没有可概括的内容。</translation>
    </message>
    <message>
        <source>The conversation could not be summarised.</source>
        <translation>无法概括该对话。</translation>
    </message>
    <message>
        <source>Summarising the beginning of the conversation…</source>
        <translation>正在概括对话的开头…</translation>
    </message>
    <message>
        <source>The conversation is being summarised already.</source>
        <translation>该对话正在概括中。</translation>
    </message>
    <message>
        <source>The model could not write the summary, so nothing was changed. {}</source>
        <translation>模型未能写出概括，因此没有任何改动。{}</translation>
    </message>
    <message>
        <source>It is sent to the model with this message.</source>
        <translation>它会随此消息发送给模型。</translation>
    </message>
    <message>
        <source>Pictures in this message</source>
        <translation>此消息中的图片</translation>
    </message>
    <message>
        <source>The picture is empty.</source>
        <translation>图片是空的。</translation>
    </message>
    <message>
        <source>{width} × {height} pixels, {size} kB</source>
        <translation>{width} × {height} 像素，{size} kB</translation>
    </message>
    <message>
        <source>Picture {}</source>
        <translation>图片 {}</translation>
    </message>
    <message>
        <source>A message takes {} pictures at the most.</source>
        <translation>一条消息最多可带 {} 张图片。</translation>
    </message>
    <message>
        <source>The picture could not be read: {}</source>
        <translation>无法读取图片：{}</translation>
    </message>
    <message>
        <source>Say what is to be done with the picture.</source>
        <translation>请说明要如何处理这张图片。</translation>
    </message>
    <message>
        <source>Earlier conversation about the project {name}. Another project is open now.</source>
        <translation>先前关于工程 {name} 的对话。现在打开的是另一个工程。</translation>
    </message>
    <message>
        <source>This run did not come to its end: QGIS or the agent process ended before.</source>
        <translation>此次运行没有完成：QGIS 或智能体进程在此之前已结束。</translation>
    </message>
    <message>
        <source>pictures: {}</source>
        <translation>图片：{}</translation>
    </message>
    <message>
        <source>{text} ({more})</source>
        <translation>{text}（{more}）</translation>
    </message>
    <message>
        <source>Save as trace</source>
        <translation>保存为轨迹</translation>
    </message>
    <message>
        <source>Traces (*.jsonl)</source>
        <translation>轨迹 (*.jsonl)</translation>
    </message>
    <message>
        <source>Replaying on a copy of the saved project…</source>
        <translation>正在已保存工程的副本上重放…</translation>
    </message>
    <message>
        <source>A replay is going on already.</source>
        <translation>已有重放正在进行。</translation>
    </message>
    <message>
        <source>Save the project first: a replay works on a copy of its file.</source>
        <translation>请先保存工程：重放在其文件的副本上进行。</translation>
    </message>
    <message>
        <source>There is no record of this run.</source>
        <translation>没有此次运行的记录。</translation>
    </message>
    <message>
        <source>Export as script</source>
        <translation>导出为脚本</translation>
    </message>
    <message>
        <source>Python scripts (*.py)</source>
        <translation>Python 脚本 (*.py)</translation>
    </message>
    <message>
        <source>Export as model</source>
        <translation>导出为模型</translation>
    </message>
    <message>
        <source>Processing models (*.model3)</source>
        <translation>Processing 模型 (*.model3)</translation>
    </message>
    <message>
        <source>Written to {}: {} algorithms.</source>
        <translation>已写入 {}：{} 个算法。</translation>
    </message>
    <message>
        <source>It needs the plugin QGIS Agent.</source>
        <translation>它需要插件 QGIS Agent。</translation>
    </message>
    <message>
        <source>{} steps are no Processing; they stand in its help.</source>
        <translation>{} 个步骤不属于 Processing；它们写在其帮助中。</translation>
    </message>
    <message>
        <source>More about this run</source>
        <translation>此次运行的更多操作</translation>
    </message>
    <message>
        <source>Replay on a copy</source>
        <translation>在副本上重放</translation>
    </message>
    <message>
        <source>Repeats the conversation up to this answer on a copy of the saved project, without a model, and says whether it comes out the same.</source>
        <translation>在已保存工程的副本上、不用模型，重复到此回答为止的对话，并说明结果是否相同。</translation>
    </message>
    <message>
        <source>Save as trace…</source>
        <translation>保存为轨迹…</translation>
    </message>
    <message>
        <source>A file with every step, to be replayed or examined. It holds names and values.</source>
        <translation>包含每一步的文件，可供重放或检查。其中有名称和值。</translation>
    </message>
    <message>
        <source>Save as trace without names and values…</source>
        <translation>保存为不含名称和值的轨迹…</translation>
    </message>
    <message>
        <source>The same with pseudonyms, to be given away. It can be read, not replayed.</source>
        <translation>同样的内容，但用代号，可以交给他人。只能阅读，不能重放。</translation>
    </message>
    <message>
        <source>Export as model…</source>
        <translation>导出为模型…</translation>
    </message>
    <message>
        <source>The algorithms of this run as a Processing model (.model3), linked as they ran.</source>
        <translation>此次运行的算法，按运行时的连接方式导出为 Processing 模型 (.model3)。</translation>
    </message>
    <message>
        <source>Export as script…</source>
        <translation>导出为脚本…</translation>
    </message>
    <message>
        <source>The same as a Python script that runs by itself on a project.</source>
        <translation>同样的内容，导出为可在工程上独立运行的 Python 脚本。</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Cancel this step; the run goes on</source>
        <translation>取消此步骤；运行继续</translation>
    </message>
    <message>
        <source>This conversation: {total} tokens, {cached} of them from cache; calls: {calls}</source>
        <translation>此对话：共 {total} 个 token，其中 {cached} 个来自缓存；调用次数：{calls}</translation>
    </message>
    <message>
        <source>the messages of this conversation, your preferences, the notes of the project, and pictures that you show</source>
        <translation>此对话的消息、您的偏好、工程的笔记，以及您展示的图片</translation>
    </message>
    <message>
        <source>the state of the map: the project&apos;s title, coordinate system, extent and scale, names of layers, how many features are selected, date and time zone</source>
        <translation>地图的状态：工程标题、坐标系、范围和比例尺、图层名称、选中的要素数、日期和时区</translation>
    </message>
    <message>
        <source>names and types of layers, groups, fields, files (with their folders) and layouts, and descriptions of layers</source>
        <translation>图层、分组、字段、文件（及其文件夹）和布局的名称与类型，以及图层的说明</translation>
    </message>
    <message>
        <source>results of tools: counts, lengths, areas, distances, extents, and what was done and how</source>
        <translation>工具的结果：计数、长度、面积、距离、范围，以及做了什么、怎样做的</translation>
    </message>
    <message>
        <source>attribute values: a few sample rows, lists of values, names of places, values of raster cells</source>
        <translation>属性值：少量示例行、值列表、地名、栅格像元值</translation>
    </message>
    <message>
        <source>numbers computed from them: smallest, largest, sum, mean, limits and labels of classes</source>
        <translation>由它们算出的数字：最小值、最大值、总和、平均值、分类的界限和标签</translation>
    </message>
    <message>
        <source>filters of layers, and conditions and formulas in styles</source>
        <translation>图层的过滤条件，以及样式中的条件和公式</translation>
    </message>
    <message>
        <source>geometries, whole data sets, files, and pictures of the map unless you show one</source>
        <translation>几何、整个数据集、文件，以及地图图片（除非您展示一张）</translation>
    </message>
    <message>
        <source>keys and passwords</source>
        <translation>密钥和密码</translation>
    </message>
    <message>
        <source>layers and fields that are hidden from the agent (Project Properties › QGIS Agent)</source>
        <translation>对智能体隐藏的图层和字段（工程属性 › QGIS Agent）</translation>
    </message>
    <message>
        <source>The tools work as before, and you see their results in full in the steps of an answer. The model gets counts, sizes and names only, and cannot name values in its answers; charts are not made, answers of the offline commands leave values out as well, and such runs cannot be replayed. A conversation that holds values already does not go on: your next message begins a new one. What you or the model write is repeated, and a layer that is named after a value carries it in its name.</source>
        <translation>工具照常工作，您可以在回答的步骤中看到它们的完整结果。模型只得到计数、大小和名称，不能在回答中说出值；不绘制图表，离线命令的回答也不含值，这样的运行不能重放。已经含有值的对话不再继续：您的下一条消息会开始新对话。您或模型写下的内容会被重复；以某个值命名的图层，其名称中带有该值。</translation>
    </message>
    <message>
        <source>Data sent to the model</source>
        <translation>发送给模型的数据</translation>
    </message>
    <message>
        <source>Keep attribute values at home</source>
        <translation>属性值留在本机</translation>
    </message>
    <message>
        <source>Sent to the address of your model:</source>
        <translation>发送到您的模型地址的内容：</translation>
    </message>
    <message>
        <source>Not sent:</source>
        <translation>不发送的内容：</translation>
    </message>
    <message>
        <source>Data and limits</source>
        <translation>数据与限额</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>The language of the request</source>
        <translation>与请求的语言相同</translation>
    </message>
    <message>
        <source>Answers of the model</source>
        <translation>模型回答所用语言</translation>
    </message>
    <message>
        <source>The panel, the settings and the results of tools are in the language of QGIS (Options › General › Override System Locale). Offline commands answer in the language of the command, English or Chinese.</source>
        <translation>面板、设置和工具结果使用 QGIS 的语言（选项 › 常规 › 覆盖系统区域设置）。离线命令用命令本身的语言（英语或中文）回答。</translation>
    </message>
    <message>
        <source>Requests to the model</source>
        <translation>对模型的请求</translation>
    </message>
    <message>
        <source>How often the model is asked; one more request sums up what was done.</source>
        <translation>询问模型的次数；另有一次请求用于总结已完成的工作。</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Calls of tools, those that failed included</source>
        <translation>工具调用次数，包括失败的</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Sent and received, all requests together</source>
        <translation>发送和接收的，所有请求合计</translation>
    </message>
    <message>
        <source>Time of the model</source>
        <translation>模型用时</translation>
    </message>
    <message>
        <source>Seconds in which the model is waited for</source>
        <translation>等待模型的秒数</translation>
    </message>
    <message>
        <source>Time of the steps</source>
        <translation>步骤用时</translation>
    </message>
    <message>
        <source>Seconds; analyses that are known to take long are not counted</source>
        <translation>秒；已知耗时较长的分析不计在内</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>费用</translation>
    </message>
    <message>
        <source>In the currency of the model&apos;s price; calls of unknown price are not counted</source>
        <translation>按模型价格的货币单位；价格未知的调用不计在内</translation>
    </message>
    <message>
        <source>Limits of one request</source>
        <translation>单个请求的限额</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>At a limit the agent stops and says what is done, what not, and how to go on. Time in which it waits for you is not counted. Profiles with less of their own keep it, and a project can only lower these limits. They hold from the next message on.</source>
        <translation>达到限额时，智能体会停止，并说明完成了什么、没有完成什么以及如何继续。等待您的时间不计在内。自身限额较小的配置保持其限额，工程只能降低这些限额。从下一条消息起生效。</translation>
    </message>
    <message>
        <source>Only models on this computer or its own network</source>
        <translation>仅限本机或本网络中的模型</translation>
    </message>
    <message>
        <source>Model that looks at pictures, where the one that answers sees none</source>
        <translation>当回答的模型看不到图片时，用于看图的模型</translation>
    </message>
    <message>
        <source>None: pictures are shown to the one that answers</source>
        <translation>无：图片交给回答的模型</translation>
    </message>
    <message>
        <source>Model that looks at pictures: {}</source>
        <translation>看图的模型：{}</translation>
    </message>
    <message>
        <source>Your message, the names of layers and fields, and the results of tools (counts, statistics, a few sample rows without geometry) are sent to the address below. The page Data and limits says all that is sent, and can keep attribute values at home.</source>
        <translation>您的消息、图层和字段的名称以及工具的结果（计数、统计、少量不含几何的示例行）会发送到下面的地址。“数据与限额”页列出了发送的全部内容，并可将属性值留在本机。</translation>
    </message>
    <message>
        <source>The offline commands see no pictures. Choose a model that does in the settings.</source>
        <translation>离线命令看不到图片。请在设置中选择能看图片的模型。</translation>
    </message>
    <message>
        <source>“{model}” sees no pictures. Choose another model in the settings, or one for pictures there, under More….</source>
        <translation>“{model}”看不到图片。请在设置中选择另一个模型，或在“更多…”下选择一个看图的模型。</translation>
    </message>
    <message>
        <source>It is not known whether “{model}” sees pictures. Press “Test the model” in the settings, or choose a model for pictures there, under More….</source>
        <translation>尚不知道“{model}”能否看到图片。请在设置中按“测试模型”，或在“更多…”下选择一个看图的模型。</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>请选择另一个文件。</translation>
    </message>
    <message>
        <source>The trace was not saved as &apos;{}&apos;: {}</source>
        <translation>轨迹未能保存为“{}”：{}</translation>
    </message>
    <message>
        <source>Permissions are those of runs without a window. Nobody is asked: what would need a yes is refused and said, unless you agree here to what can be undone. Data, project files and other files than those that you name here are never written, no service is called and no code is run, except that a model, if you choose one, is sent the request.</source>
        <translation>权限与无窗口运行相同。不会询问任何人：需要同意的操作会被拒绝并说明，除非您在此同意可以撤销的操作。绝不写入数据、工程文件以及您在此指定之外的其他文件，不调用服务，不运行代码；但如果您选择了模型，会把请求发送给它。</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Open the panel of QGIS Agent in QGIS once: it sets the environment up.</source>
        <translation>请在 QGIS 中打开一次 QGIS Agent 面板：它会建立环境。</translation>
    </message>
    <message>
        <source>Agreed to without a question</source>
        <translation>无需询问即同意</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>What can be undone</source>
        <translation>可以撤销的操作</translation>
    </message>
    <message>
        <source>Offline commands (no model)</source>
        <translation>离线命令（不用模型）</translation>
    </message>
    <message>
        <source>The model of the settings</source>
        <translation>设置中的模型</translation>
    </message>
    <message>
        <source>Carries out one request in plain words on the open project.</source>
        <translation>在打开的工程上执行一个用日常语言表达的请求。</translation>
    </message>
    <message>
        <source>Carries out one request on the open project, for example “zoom to streets”, “count schools” or “buffer schools by 300 m”. The offline commands understand short requests; for others choose the model of QGIS Agent&apos;s settings.
Layers that are made are temporary, stand in the group “Agent results” and are named in the output “Layers made”, so that later steps of a model can use them.</source>
        <translation>在打开的工程上执行一个请求，例如“缩放到街道”、“统计学校数量”或“给学校做 300 米缓冲区”。离线命令理解简短的请求；其他请求请选择 QGIS Agent 设置中的模型。
生成的图层是临时的，位于“Agent results”组中，并列在输出“生成的图层”里，供模型的后续步骤使用。</translation>
    </message>
    <message>
        <source>ai,assistant,llm,chat,question,request,natural language</source>
        <translation>ai,智能体,助手,llm,聊天,问题,请求,自然语言</translation>
    </message>
    <message>
        <source>Way of working</source>
        <translation>工作方式</translation>
    </message>
    <message>
        <source>Picture of the map</source>
        <translation>地图图片</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <source>Layers made</source>
        <translation>生成的图层</translation>
    </message>
    <message>
        <source>The request is empty.</source>
        <translation>请求为空。</translation>
    </message>
    <message>
        <source>Carry it out</source>
        <translation>执行</translation>
    </message>
    <message>
        <source>Only read and make a plan</source>
        <translation>只读取并制定计划</translation>
    </message>
    <message>
        <source>Audit report</source>
        <translation>审计报告</translation>
    </message>
    <message>
        <source>Lists what the agent did in this QGIS profile, and who allowed it.</source>
        <translation>列出智能体在此 QGIS 配置中做了什么，以及由谁允许。</translation>
    </message>
    <message>
        <source>Lists what QGIS Agent did in this QGIS profile: when, for whom, with which tool, on which layers, allowed by whom, and how it ended. QGIS itself writes this log; the agent cannot.
Times are in UTC where they name no zone. A layer is given by its short name, its name or its id; a caller is chat, cli, mcp or subagent. Arguments stand in it as a digest only.
Nothing is changed and no agent is started.</source>
        <translation>列出 QGIS Agent 在此 QGIS 配置中做了什么：何时、为谁、用哪个工具、对哪些图层、由谁允许、结果如何。此日志由 QGIS 自己写入；智能体不能写。
未注明时区的时间为 UTC。图层可用其短名称、名称或 id 给出；调用者为 chat、cli、mcp 或 subagent。参数只以摘要形式记录。
不改变任何内容，也不启动智能体。</translation>
    </message>
    <message>
        <source>QGIS Agent: audit report</source>
        <translation>QGIS Agent：审计报告</translation>
    </message>
    <message>
        <source>log,history,permissions,decisions,who,accountability</source>
        <translation>日志,历史,权限,决定,谁,问责</translation>
    </message>
    <message>
        <source>From</source>
        <translation>自</translation>
    </message>
    <message>
        <source>To</source>
        <translation>至</translation>
    </message>
    <message>
        <source>Caller</source>
        <translation>调用者</translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation>审计日志</translation>
    </message>
    <message>
        <source>HTML files (*.html)</source>
        <translation>HTML 文件 (*.html)</translation>
    </message>
    <message>
        <source>Number of lines</source>
        <translation>行数</translation>
    </message>
    <message>
        <source>That is no time. Write it as 2026-11-30T08:00.</source>
        <translation>这不是时间。请写成 2026-11-30T08:00 的形式。</translation>
    </message>
    <message>
        <source>QGIS Agent is carrying out another request. Wait for its end, or stop it.</source>
        <translation>QGIS Agent 正在执行另一个请求。请等待其结束，或停止它。</translation>
    </message>
    <message>
        <source>Export a run as model</source>
        <translation>将运行导出为模型</translation>
    </message>
    <message>
        <source>Writes the analysis of a recorded run as a model and as a script.</source>
        <translation>将录制的运行中的分析写成模型和脚本。</translation>
    </message>
    <message>
        <source>model designer,script,python,pyqgis,workflow,reproduce,trace</source>
        <translation>模型设计器,脚本,python,pyqgis,工作流,复现,轨迹</translation>
    </message>
    <message>
        <source>Which trace of the file</source>
        <translation>文件中的第几条轨迹</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>脚本</translation>
    </message>
    <message>
        <source>Algorithms in the model</source>
        <translation>模型中的算法数</translation>
    </message>
    <message>
        <source>Steps that are no algorithms</source>
        <translation>不是算法的步骤数</translation>
    </message>
    <message>
        <source>The model needs the plugin QGIS Agent.</source>
        <translation>该模型需要插件 QGIS Agent。</translation>
    </message>
    <message>
        <source>There are {} traces in the file, not {}.</source>
        <translation>文件中有 {} 条轨迹，而不是 {} 条。</translation>
    </message>
    <message>
        <source>Features of the input</source>
        <translation>输入的要素数</translation>
    </message>
    <message>
        <source>Features of the result</source>
        <translation>结果的要素数</translation>
    </message>
    <message>
        <source>Features with a partner</source>
        <translation>有匹配的要素数</translation>
    </message>
    <message>
        <source>Features without a partner</source>
        <translation>无匹配的要素数</translation>
    </message>
    <message>
        <source>Features with several partners</source>
        <translation>有多个匹配的要素数</translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation>配对数</translation>
    </message>
    <message>
        <source>Features of the layer to join that were used</source>
        <translation>所用连接图层的要素数</translation>
    </message>
    <message>
        <source>Fields to add (empty: none)</source>
        <translation>要添加的字段（空：不添加）</translation>
    </message>
    <message>
        <source>Smallest distance (metres)</source>
        <translation>最小距离（米）</translation>
    </message>
    <message>
        <source>Mean distance (metres)</source>
        <translation>平均距离（米）</translation>
    </message>
    <message>
        <source>Largest distance found (metres)</source>
        <translation>找到的最大距离（米）</translation>
    </message>
    <message>
        <source>Features with another neighbour as near as the last</source>
        <translation>另有同样近的邻近要素的要素数</translation>
    </message>
    <message>
        <source>Features without a place on earth</source>
        <translation>在地球上没有位置的要素数</translation>
    </message>
    <message>
        <source>Rows of the points</source>
        <translation>点的行数</translation>
    </message>
    <message>
        <source>Points that were counted</source>
        <translation>参与计数的点数</translation>
    </message>
    <message>
        <source>Points without a geometry</source>
        <translation>没有几何的点数</translation>
    </message>
    <message>
        <source>Rows of several points</source>
        <translation>含多个点的行数</translation>
    </message>
    <message>
        <source>Points in no polygon</source>
        <translation>不在任何多边形内的点数</translation>
    </message>
    <message>
        <source>Points on a border</source>
        <translation>位于边界上的点数</translation>
    </message>
    <message>
        <source>Points in several polygons</source>
        <translation>位于多个多边形内的点数</translation>
    </message>
    <message>
        <source>Missing values of each field</source>
        <translation>每个字段的缺失值</translation>
    </message>
    <message>
        <source>Replay a trace</source>
        <translation>重放轨迹</translation>
    </message>
    <message>
        <source>Repeats recorded runs on a copy of the project and names the first difference.</source>
        <translation>在工程的副本上重复录制的运行，并指出第一处差异。</translation>
    </message>
    <message>
        <source>Repeats the calls of recorded runs on a copy of a project, without a model, and compares each result and the map at the end with what was recorded. The first difference is named with its step.
Traces are files that “Save as trace” under an answer and “Ask the agent” write. Without a project the one that the trace names is copied. The traces of one conversation replay one after the other on the same copy.
Permissions are those of runs without a window. Nobody is asked: steps that wrote files or were asked about are skipped and counted. The project itself, open or not, is never changed.</source>
        <translation>不用模型，在工程的副本上重复录制的运行的调用，并将每个结果和结束时的地图与录制的内容比较。第一处差异连同其步骤一起指出。
轨迹是由回答下方的“保存为轨迹”和“询问智能体”写出的文件。未指定工程时，复制轨迹所指的工程。同一对话的轨迹在同一副本上依次重放。
权限与无窗口运行相同。不会询问任何人：写入文件或曾经询问的步骤会跳过并计数。工程本身无论是否打开都不会改变。</translation>
    </message>
    <message>
        <source>repeat,reproduce,compare,verify,regression,recorded run</source>
        <translation>重复,复现,比较,验证,回归,录制的运行</translation>
    </message>
    <message>
        <source>Traces (*.jsonl *.json)</source>
        <translation>轨迹 (*.jsonl *.json)</translation>
    </message>
    <message>
        <source>Run {}, step {}, {}: {} was recorded, {} is found.</source>
        <translation>第 {} 次运行，步骤 {}，{}：录制的是 {}，现在是 {}。</translation>
    </message>
    <message>
        <source>Project (empty: the one that the trace names)</source>
        <translation>工程（空：轨迹所指的工程）</translation>
    </message>
    <message>
        <source>A difference is an error</source>
        <translation>有差异即为错误</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>First difference</source>
        <translation>第一处差异</translation>
    </message>
    <message>
        <source>Steps skipped</source>
        <translation>跳过的步骤数</translation>
    </message>
    <message>
        <source>QGIS projects (*.qgz *.qgs)</source>
        <translation>QGIS 工程 (*.qgz *.qgs)</translation>
    </message>
    <message>
        <source>The trace {} names no project: give one.</source>
        <translation>轨迹 {} 没有指明工程：请给出一个。</translation>
    </message>
    <message>
        <source>{}: equal, {} steps, {} skipped.</source>
        <translation>{}：相同，{} 个步骤，跳过 {} 个。</translation>
    </message>
    <message>
        <source>Run an evaluation</source>
        <translation>运行评测</translation>
    </message>
    <message>
        <source>Scores the agent on a set of requests and writes a report.</source>
        <translation>用一组请求为智能体评分并写出报告。</translation>
    </message>
    <message>
        <source>Runs the requests of an evaluation set (JSON lines), each on a project of its own, and scores what became of the map and of the numbers: intent, choice of tools, parameters, end to end, calls of tools, and whether the run can be replayed. The report has its tables, charts and traces in one folder. With the folder of an earlier report as baseline the cases that got worse are named.
The offline commands answer the cases that are meant for them; the model of the settings answers all, and is asked for each; scripted turns answer in place of a model.</source>
        <translation>运行评测集（JSON 行）中的请求，每个请求使用自己的工程，并根据地图和数字的结果评分：意图、工具选择、参数、端到端、工具调用次数，以及运行能否重放。报告的表格、图表和轨迹在一个文件夹中。以先前报告的文件夹为基线时，会列出变差的用例。
离线命令回答适合它们的用例；设置中的模型回答所有用例，每个用例都会询问它；脚本轮次代替模型回答。</translation>
    </message>
    <message>
        <source>Permissions are those of runs without a window. Nobody is asked, and what a case would write goes into a temporary folder that is removed. The open project, and files other than those of the report, are never changed.</source>
        <translation>权限与无窗口运行相同。不会询问任何人；用例要写入的内容放在随后删除的临时文件夹中。打开的工程以及报告之外的文件都不会改变。</translation>
    </message>
    <message>
        <source>Evaluation sets (*.jsonl)</source>
        <translation>评测集 (*.jsonl)</translation>
    </message>
    <message>
        <source>Intent (share)</source>
        <translation>意图（比例）</translation>
    </message>
    <message>
        <source>Choice of tools (share)</source>
        <translation>工具选择（比例）</translation>
    </message>
    <message>
        <source>Parameters (share)</source>
        <translation>参数（比例）</translation>
    </message>
    <message>
        <source>End to end (share)</source>
        <translation>端到端（比例）</translation>
    </message>
    <message>
        <source>Calls of tools a case</source>
        <translation>每个用例的工具调用次数</translation>
    </message>
    <message>
        <source>Can be replayed (share)</source>
        <translation>可以重放（比例）</translation>
    </message>
    <message>
        <source>benchmark,test,score,metrics,regression,baseline,quality</source>
        <translation>基准,测试,评分,指标,回归,基线,质量</translation>
    </message>
    <message>
        <source>Scripted turns, in place of a model</source>
        <translation>代替模型的脚本轮次</translation>
    </message>
    <message>
        <source>Baseline: the folder of an earlier report</source>
        <translation>基线：先前报告的文件夹</translation>
    </message>
    <message>
        <source>Replay each run</source>
        <translation>重放每次运行</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>评测集</translation>
    </message>
    <message>
        <source>JSON files (*.json)</source>
        <translation>JSON 文件 (*.json)</translation>
    </message>
    <message>
        <source>Folder of the report</source>
        <translation>报告的文件夹</translation>
    </message>
    <message>
        <source>All thresholds hold and nothing got worse</source>
        <translation>所有阈值均达到且没有变差</translation>
    </message>
    <message>
        <source>Unsafe actions</source>
        <translation>不安全的操作</translation>
    </message>
    <message>
        <source>Cases that got worse</source>
        <translation>变差的用例</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Summary (JSON)</source>
        <translation>摘要 (JSON)</translation>
    </message>
    <message>
        <source>topology,validity,invalid,overlaps,gaps,slivers,duplicates,quality,errors</source>
        <translation>拓扑,有效性,无效,重叠,缝隙,碎屑,重复,质量,错误</translation>
    </message>
    <message>
        <source>terrain,dem,profile,plan,convex,concave,relief</source>
        <translation>地形,dem,剖面,平面,凸,凹,地势</translation>
    </message>
    <message>
        <source>directional distribution,dispersion,mean centre,median centre,orientation,points</source>
        <translation>方向分布,离散度,平均中心,中位数中心,方向,点</translation>
    </message>
    <message>
        <source>neighbourhood,neighborhood,moving window,smooth,filter,kernel,median,majority</source>
        <translation>邻域,移动窗口,平滑,滤波,核,中位数,众数</translation>
    </message>
    <message>
        <source>buffer,metres,ellipsoid,distance,zone,ground</source>
        <translation>缓冲区,米,椭球,距离,区域,地面</translation>
    </message>
    <message>
        <source>buffer,ring,radius,metres,ellipsoid,points,zone</source>
        <translation>缓冲区,环,半径,米,椭球,点,区域</translation>
    </message>
    <message>
        <source>moran&apos;s i,spatial autocorrelation,clustered,pattern,permutation</source>
        <translation>莫兰指数,空间自相关,聚集,格局,置换</translation>
    </message>
    <message>
        <source>getis-ord,gi*,cold spots,clusters,significance</source>
        <translation>getis-ord,gi*,冷点,聚类,显著性</translation>
    </message>
    <message>
        <source>spatial join,attributes,intersects,within,contains,overlap,summary</source>
        <translation>空间连接,属性,相交,位于,包含,重叠,汇总</translation>
    </message>
    <message>
        <source>table join,attributes,field,key,lookup,match</source>
        <translation>表连接,属性,字段,键,查找,匹配</translation>
    </message>
    <message>
        <source>cost distance,route,corridor,accumulated cost,friction,dijkstra</source>
        <translation>成本距离,路线,廊道,累积成本,阻力,dijkstra</translation>
    </message>
    <message>
        <source>lisa,clusters,outliers,spatial autocorrelation,moran&apos;s i</source>
        <translation>lisa,聚类,离群值,空间自相关,莫兰指数</translation>
    </message>
    <message>
        <source>nearest neighbour,distance matrix,closest,hub,near,geodesic</source>
        <translation>最近邻,距离矩阵,最近,枢纽,邻近,测地线</translation>
    </message>
    <message>
        <source>count,sum,mean,aggregate,density,statistics</source>
        <translation>计数,总和,平均值,聚合,密度,统计</translation>
    </message>
    <message>
        <source>raster calculator,map algebra,formula,expression,bands,index</source>
        <translation>栅格计算器,地图代数,公式,表达式,波段,指数</translation>
    </message>
    <message>
        <source>This conversation is not summarised: it may hold attribute values, and these are kept in QGIS now. The next message begins a new conversation.</source>
        <translation>此对话不作概括：它可能含有属性值，而这些值现在保留在 QGIS 中。下一条消息会开始新对话。</translation>
    </message>
    <message>
        <source>Names and values are taken out of this trace, so it cannot be exported.</source>
        <translation>此轨迹已去除名称和值，因此无法导出。</translation>
    </message>
    <message>
        <source>Export the trace again, with its names and values.</source>
        <translation>请重新导出含有名称和值的轨迹。</translation>
    </message>
    <message>
        <source>“{}”, another program, over MCP</source>
        <translation>“{}”，通过 MCP 接入的另一程序</translation>
    </message>
    <message>
        <source>May this program do this?</source>
        <translation>允许此程序这样做吗？</translation>
    </message>
    <message>
        <source>Nothing is written yet: commit_action writes it.</source>
        <translation>尚未写入：由 commit_action 写入。</translation>
    </message>
    <message>
        <source>{} is not available in this QGIS</source>
        <translation>此 QGIS 中没有 {}</translation>
    </message>
    <message>
        <source>{} is not run by the agent: {}</source>
        <translation>智能体不运行 {}：{}</translation>
    </message>
    <message>
        <source>No step of this run can be exported: {}.</source>
        <translation>本次运行没有可以导出的步骤：{}。</translation>
    </message>
    <message>
        <source>{} is given the parameter {}, which the agent does not give</source>
        <translation>为 {} 设置了参数 {}，而智能体不会设置该参数</translation>
    </message>
    <message>
        <source>Look at {} before you run this: {}.</source>
        <translation>运行之前请先查看 {}：{}。</translation>
    </message>
    <message>
        <source>Step {}: {} {} – is not exported: {}.</source>
        <translation>步骤 {}：{} {} – 未导出：{}。</translation>
    </message>
    <message>
        <source>Attribute values stay in QGIS, and a picture of the map may show some.</source>
        <translation>属性值保留在 QGIS 中，而地图图片可能会显示其中一些。</translation>
    </message>
    <message>
        <source>This program is not allowed to use QGIS.</source>
        <translation>不允许此程序使用 QGIS。</translation>
    </message>
    <message>
        <source>Ask for counts and names; the person sees the map in QGIS.</source>
        <translation>请询问数量和名称；使用者可在 QGIS 中查看地图。</translation>
    </message>
    <message>
        <source>This is for MCP clients only.</source>
        <translation>此功能仅供 MCP 客户端使用。</translation>
    </message>
    <message>
        <source>A person can allow it in QGIS: options of QGIS Agent, page “Other programs (MCP)”.</source>
        <translation>使用者可以在 QGIS 中允许它：QGIS Agent 的选项，“其他程序 (MCP)”页。</translation>
    </message>
    <message>
        <source>Changes by “{}”, over MCP</source>
        <translation>“{}”通过 MCP 所做的更改</translation>
    </message>
    <message>
        <source>Port {} cannot be opened; perhaps another QGIS has it open. ({})</source>
        <translation>无法打开端口 {}；可能另一个 QGIS 正在使用它。（{}）</translation>
    </message>
    <message>
        <source>the agent&apos;s environment is being built or removed.</source>
        <translation>正在创建或移除智能体的环境。</translation>
    </message>
    <message>
        <source>Off: no port is open, and no program can reach QGIS.</source>
        <translation>已关闭：没有打开任何端口，任何程序都无法访问 QGIS。</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>正在打开…</translation>
    </message>
    <message>
        <source>It is tried again by itself.</source>
        <translation>会自动重试。</translation>
    </message>
    <message>
        <source>Listening on {}, for programs on this computer only.</source>
        <translation>正在 {} 上监听，仅供本机上的程序使用。</translation>
    </message>
    <message>
        <source>Not open: {}</source>
        <translation>未打开：{}</translation>
    </message>
    <message>
        <source>Several pictures of the map are being drawn already.</source>
        <translation>已经有几张地图图片正在绘制。</translation>
    </message>
    <message>
        <source>Show a smaller area or fewer layers, then ask again.</source>
        <translation>请显示更小的区域或更少的图层，然后再次请求。</translation>
    </message>
    <message>
        <source>Ask again when they have come.</source>
        <translation>请等它们完成后再次请求。</translation>
    </message>
    <message>
        <source>The map was not drawn within {} s.</source>
        <translation>地图未能在 {} 秒内绘制完成。</translation>
    </message>
    <message>
        <source>The agent process of QGIS Agent ended. Start the server again.</source>
        <translation>QGIS Agent 的智能体进程已结束。请重新启动服务器。</translation>
    </message>
    <message>
        <source>This message is too long.</source>
        <translation>此消息太长。</translation>
    </message>
    <message>
        <source>Give the program a name.</source>
        <translation>请为程序起一个名称。</translation>
    </message>
    <message>
        <source>There is a program of this name already.</source>
        <translation>已经有同名的程序。</translation>
    </message>
    <message>
        <source>Choose a port from {} to {}.</source>
        <translation>请选择 {} 到 {} 之间的端口。</translation>
    </message>
    <message>
        <source>Remove a program first: there are {} already.</source>
        <translation>请先移除一个程序：已经有 {} 个了。</translation>
    </message>
    <message>
        <source>Use at most {} characters.</source>
        <translation>最多使用 {} 个字符。</translation>
    </message>
    <message>
        <source>The list of allowed programs ({}) cannot be read: {}. Until it is put right none is let in.</source>
        <translation>无法读取允许的程序列表（{}）：{}。在修复之前，不允许任何程序接入。</translation>
    </message>
    <message>
        <source>The log (tab QGIS Agent) has the details; the project was not changed.</source>
        <translation>日志（QGIS Agent 标签页）中有详细信息；工程未被更改。</translation>
    </message>
    <message>
        <source>Ask again, with “Keep attribute values at home” off, and replay that run.</source>
        <translation>请关闭“属性值留在本机”后再次提问，然后重放那次运行。</translation>
    </message>
    <message>
        <source>The replay broke: {}</source>
        <translation>重放出错：{}</translation>
    </message>
    <message>
        <source>The trace {} cannot be replayed: it does not tell how the map was when the run began.</source>
        <translation>无法重放轨迹 {}：其中没有运行开始时的地图状态。</translation>
    </message>
    <message>
        <source>Make room on the disk, or name a copy of the project that can be read.</source>
        <translation>请腾出磁盘空间，或指定一个可以读取的工程副本。</translation>
    </message>
    <message>
        <source>The folder of the project cannot be copied: {}</source>
        <translation>无法复制工程所在的文件夹：{}</translation>
    </message>
    <message>
        <source>Came out otherwise and not compared, because they use what these changed: {}.</source>
        <translation>结果不同且未作比较，因为它们使用了被这些步骤更改的内容：{}。</translation>
    </message>
    <message>
        <source>The replay is equal: the same results. Steps repeated: {}.</source>
        <translation>重放一致：结果相同。重复的步骤：{}。</translation>
    </message>
    <message>
        <source>The map at the end was not compared: the trace does not tell how it was.</source>
        <translation>未比较结束时的地图：轨迹中没有它的状态。</translation>
    </message>
    <message>
        <source>No step was repeated. The map is the same.</source>
        <translation>没有重复任何步骤。地图相同。</translation>
    </message>
    <message>
        <source>No step was repeated, and nothing was compared but the beginning.</source>
        <translation>没有重复任何步骤，除开始状态外未作任何比较。</translation>
    </message>
    <message>
        <source>A person decides in QGIS (or the command line&apos;s --approve); call commit_action again then.</source>
        <translation>由使用者在 QGIS 中决定（或用命令行的 --approve）；之后请再次调用 commit_action。</translation>
    </message>
    <message>
        <source>Lines of the conversation&apos;s record that cannot be read, and are missing here: {}.</source>
        <translation>对话记录中有无法读取、因而在此缺少的行：{}。</translation>
    </message>
    <message>
        <source>QGIS is being changed by somebody else just now: by the person&apos;s own request, or by another program.</source>
        <translation>QGIS 正在被他人更改：使用者自己的请求，或另一个程序。</translation>
    </message>
    <message>
        <source>Reading goes on. Call this again in a minute.</source>
        <translation>读取不受影响。请一分钟后再次调用。</translation>
    </message>
    <message>
        <source>If not: tell the program why (optional)</source>
        <translation>如不允许：可告诉该程序原因（可选）</translation>
    </message>
    <message>
        <source>This can be taken back (menu QGIS Agent › Undo the agent&apos;s last run).</source>
        <translation>此操作可以撤销（菜单 QGIS Agent › 撤销智能体的上次运行）。</translation>
    </message>
    <message>
        <source>“{}” asks, over MCP</source>
        <translation>“{}”通过 MCP 请求</translation>
    </message>
    <message>
        <source>Connected over MCP: {}</source>
        <translation>已通过 MCP 连接：{}</translation>
    </message>
    <message>
        <source>{name}, row {number}</source>
        <translation>{name}，第 {number} 行</translation>
    </message>
    <message>
        <source>You cancelled this step.</source>
        <translation>您取消了这一步。</translation>
    </message>
    <message>
        <source>The switch holds from the next step on: a request that is being answered keeps what it was sent already, until it ends. A conversation that is opened again shows its results as the model got them, without the values.</source>
        <translation>此开关从下一步起生效：正在回答的请求会保留已经发送给它的内容，直到结束。再次打开的对话按模型所收到的样子显示结果，不含属性值。</translation>
    </message>
    <message>
        <source>Read only (recommended)</source>
        <translation>只读（推荐）</translation>
    </message>
    <message>
        <source>Looks at the map, counts, measures and searches. You are asked each time before it changes the look of the map or adds a layer. It never writes files, changes data or uses the network.</source>
        <translation>查看地图、计数、量测和搜索。更改地图外观或添加图层之前，每次都会询问您。绝不写文件、更改数据或使用网络。</translation>
    </message>
    <message>
        <source>Safe</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Styles layers and adds results without asking; you can undo this. You are asked for each host of the network.</source>
        <translation>设置样式和添加结果时不询问；您可以撤销。访问网络中的每个主机前都会询问您。</translation>
    </message>
    <message>
        <source>Allow a program</source>
        <translation>允许一个程序</translation>
    </message>
    <message>
        <source>Change a program</source>
        <translation>更改程序</translation>
    </message>
    <message>
        <source>Name, as you want to see it when the program asks</source>
        <translation>名称，即程序请求时您看到的名字</translation>
    </message>
    <message>
        <source>May prepare writing files and changing data</source>
        <translation>可以准备写文件和更改数据</translation>
    </message>
    <message>
        <source>You see each of them in full first, and nothing is written without your click. Not with “Read only”.</source>
        <translation>您会先看到每项操作的全部内容，没有您的点击不会写入任何东西。不能与“只读”同时使用。</translation>
    </message>
    <message>
        <source>Allow and show the token</source>
        <translation>允许并显示令牌</translation>
    </message>
    <message>
        <source>{}, may prepare writes</source>
        <translation>{}，可以准备写入</translation>
    </message>
    <message>
        <source>What it may do without asking you</source>
        <translation>不询问您就可以做的事</translation>
    </message>
    <message>
        <source>It can never do more than the agent itself, and never sees layers, fields and folders that are hidden from the agent.</source>
        <translation>它能做的绝不会超过智能体本身，也绝看不到对智能体隐藏的图层、字段和文件夹。</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从未</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>Programs that I allow</source>
        <translation>我允许的程序</translation>
    </message>
    <message>
        <source>No program is allowed yet.</source>
        <translation>还没有允许任何程序。</translation>
    </message>
    <message>
        <source>Allow a program…</source>
        <translation>允许一个程序…</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>New token…</source>
        <translation>新令牌…</translation>
    </message>
    <message>
        <source>Each has a token of its own. Changes here hold at once: a removed program, and an old token, can do nothing any more, and questions that are open for it are closed.</source>
        <translation>每个程序都有自己的令牌。这里的更改立即生效：被移除的程序和旧令牌不能再做任何事，为其打开的询问也会关闭。</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>What it may do</source>
        <translation>可以做的事</translation>
    </message>
    <message>
        <source>Last seen</source>
        <translation>上次出现</translation>
    </message>
    <message>
        <source>New token</source>
        <translation>新令牌</translation>
    </message>
    <message>
        <source>allowed since {}</source>
        <translation>{} 起允许</translation>
    </message>
    <message>
        <source>last seen: {}</source>
        <translation>上次出现：{}</translation>
    </message>
    <message>
        <source>Make a new token for “{}”? Its present one ends at once.</source>
        <translation>要为“{}”生成新令牌吗？现有令牌会立即失效。</translation>
    </message>
    <message>
        <source>Remove {}? To let it in again you would give it a new token.</source>
        <translation>要移除 {} 吗？再次接入时您需要给它一个新令牌。</translation>
    </message>
    <message>
        <source>calls itself “{}”</source>
        <translation>自称“{}”</translation>
    </message>
    <message>
        <source>It could not be kept: {}</source>
        <translation>无法保存：{}</translation>
    </message>
    <message>
        <source>Using QGIS from other programs (MCP)</source>
        <translation>在其他程序中使用 QGIS (MCP)</translation>
    </message>
    <message>
        <source>The guide cannot be read: {}</source>
        <translation>无法读取指南：{}</translation>
    </message>
    <message>
        <source>Other programs (MCP)</source>
        <translation>其他程序 (MCP)</translation>
    </message>
    <message>
        <source>Put this into the file {}.</source>
        <translation>把这些内容放入文件 {}。</translation>
    </message>
    <message>
        <source>Run this once in a terminal.</source>
        <translation>在终端中运行一次。</translation>
    </message>
    <message>
        <source>Put this into the file that the command “MCP: Open User Configuration” opens.</source>
        <translation>把这些内容放入命令“MCP: Open User Configuration”打开的文件。</translation>
    </message>
    <message>
        <source>Paste this in Settings › MCP Servers › Add › Import from JSON.</source>
        <translation>在“设置 › MCP 服务器 › 添加 › 从 JSON 导入”中粘贴。</translation>
    </message>
    <message>
        <source>Another program, over HTTP</source>
        <translation>其他程序，通过 HTTP</translation>
    </message>
    <message>
        <source>The address (Streamable HTTP), and the header to send with each request.</source>
        <translation>地址 (Streamable HTTP) 以及每次请求要发送的请求头。</translation>
    </message>
    <message>
        <source>Another program that starts a command (stdio)</source>
        <translation>其他以启动命令方式接入的程序 (stdio)</translation>
    </message>
    <message>
        <source>Most programs read settings of this form.</source>
        <translation>大多数程序读取这种形式的设置。</translation>
    </message>
    <message>
        <source>Put this into the file {}, which Settings › Developer › Edit Config opens.</source>
        <translation>把这些内容放入文件 {}，它可由“Settings › Developer › Edit Config”打开。</translation>
    </message>
    <message>
        <source>Assistants such as Claude Code, Cursor or Cherry Studio can then look at the open project and, as far as you allow it, change the map with the same tools as the agent. What they read goes where they send it: to their own models. Anything beyond reading is asked here, in QGIS, with the program&apos;s name. Only programs on this computer that have a token can connect.</source>
        <translation>Claude Code、Cursor、Cherry Studio 等助手可以由此查看打开的工程，并在您允许的范围内用与智能体相同的工具更改地图。它们读取的内容会发送到它们自己的目的地：它们自己的模型。除读取以外的操作都会在 QGIS 中询问，并注明程序名称。只有本机上持有令牌的程序才能连接。</translation>
    </message>
    <message>
        <source>Press Apply or OK in the settings as well: only then can the program reach QGIS.</source>
        <translation>还要在设置中按“应用”或“确定”：之后该程序才能访问 QGIS。</translation>
    </message>
    <message>
        <source>Let programs that I allow use this QGIS</source>
        <translation>让我允许的程序使用此 QGIS</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>How to set up a program…</source>
        <translation>如何设置程序…</translation>
    </message>
    <message>
        <source>MCP is off now: turn it on in the settings, or the program cannot reach QGIS.</source>
        <translation>MCP 目前已关闭：请在设置中打开，否则该程序无法访问 QGIS。</translation>
    </message>
    <message>
        <source>Your change holds when you press Apply or OK.</source>
        <translation>您的更改在按下“应用”或“确定”后生效。</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Copy the token</source>
        <translation>复制令牌</translation>
    </message>
    <message>
        <source>Settings for</source>
        <translation>适用于</translation>
    </message>
    <message>
        <source>Settings to paste</source>
        <translation>要粘贴的设置</translation>
    </message>
    <message>
        <source>Copy the settings</source>
        <translation>复制设置</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>The program shows this token to QGIS with each request. It is shown only now: copy it, or the settings below, which hold it. Whoever has it can do what you allowed this program. If it is lost, make a new one.</source>
        <translation>程序每次请求都向 QGIS 出示此令牌。令牌只在现在显示：请复制它，或复制下面含有它的设置。持有它的人可以做您允许此程序做的事。如果丢失，请生成新令牌。</translation>
    </message>
    <message>
        <source>Token for “{}”</source>
        <translation>“{}”的令牌</translation>
    </message>
    <message>
        <source>Writes the algorithms that a recorded run used, with their parameters, as a Processing model whose inputs are the layers of the project, and if you name a file also as a PyQGIS script. Run by themselves they give the same layers.
Steps that are no algorithms, as styles and questions, stand in the model&apos;s help and in the script. Where a model uses algorithms of QGIS Agent, its help says that it needs the plugin. Layers that earlier runs of the conversation made are made again where the file has these runs.
Traces are files that “Save as trace” under an answer and “Ask the agent” write. Nothing is run, no agent is started, and only the files that you name are written.</source>
        <translation>把一次记录的运行所用的算法及其参数写成 Processing 模型，模型的输入是工程的图层；如果指定了文件，还会写成 PyQGIS 脚本。单独运行时会得到相同的图层。
不是算法的步骤（如样式和提问）写在模型的帮助和脚本中。模型使用 QGIS Agent 的算法时，其帮助会说明需要此插件。如果文件中有对话的较早运行，它们生成的图层会重新生成。
轨迹是由回答下方的“保存为轨迹”和“询问智能体”写出的文件。不会运行任何内容，不会启动智能体，只写入您指定的文件。</translation>
    </message>
    <message>
        <source>Features that change: {} of {}. Values that change, all listed here: {}</source>
        <translation>改变的要素：{}，共 {}。改变的值，此处全部列出：{}</translation>
    </message>
    <message>
        <source>All projects</source>
        <translation>所有工程</translation>
    </message>
    <message>
        <source>everyday work</source>
        <translation>日常工作</translation>
    </message>
    <message>
        <source>arranging layers and the view</source>
        <translation>整理图层和视图</translation>
    </message>
    <message>
        <source>adding data</source>
        <translation>添加数据</translation>
    </message>
    <message>
        <source>charts and rasters</source>
        <translation>图表和栅格</translation>
    </message>
    <message>
        <source>buffers and counts by area</source>
        <translation>缓冲区和按区域计数</translation>
    </message>
    <message>
        <source>overlays</source>
        <translation>叠加分析</translation>
    </message>
    <message>
        <source>joins and what lies near</source>
        <translation>连接和邻近</translation>
    </message>
    <message>
        <source>geometries and fields</source>
        <translation>几何和字段</translation>
    </message>
    <message>
        <source>raster analysis</source>
        <translation>栅格分析</translation>
    </message>
    <message>
        <source>other QGIS algorithms</source>
        <translation>其他 QGIS 算法</translation>
    </message>
    <message>
        <source>print layouts</source>
        <translation>打印布局</translation>
    </message>
    <message>
        <source>exploring by itself</source>
        <translation>自主探索</translation>
    </message>
    <message>
        <source>writing files and changing data</source>
        <translation>写文件和更改数据</translation>
    </message>
    <message>
        <source>Getting the tools for {pack}</source>
        <translation>正在获取用于{pack}的工具</translation>
    </message>
    <message>
        <source>Got the tools for {pack}</source>
        <translation>已获取用于{pack}的工具</translation>
    </message>
    <message>
        <source>This chart was drawn before something changed in QGIS.</source>
        <translation>此图表绘制之后，QGIS 中有内容发生了变化。</translation>
    </message>
    <message>
        <source>Ask for the chart again.</source>
        <translation>请重新请求此图表。</translation>
    </message>
</context>
</TS>
